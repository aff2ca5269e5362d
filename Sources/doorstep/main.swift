print("doorstep")
