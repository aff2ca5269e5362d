// Room: DoorstepActivity
