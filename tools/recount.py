#!/usr/bin/env python3
"""Recounts the figures of a run from its raw logs alone (Python 3, no packages).

    tools/recount.py LOGS [--compare REPORT.json]

LOGS holds truth.jsonl and published.jsonl as the simulator wrote them. Prints the figures as one JSON line; with
--compare exits with status 1 when they differ by a single letter from the simulator's own report.
"""
import json
import sys
from pathlib import Path

STEPS = ["placed", "accepted", "preparing", "ready", "pickedUp", "delivering", "arriving", "returning",
         "delivered", "cancelled", "failed", "returned"]
RANK = {name: rank for rank, name in enumerate(STEPS)}
TERMINAL = {"delivered", "cancelled", "failed", "returned"}
MUST_NOTICE = {"arriving", "cancelled", "failed"}
BY_TYPE = {"order." + name: step for name, step in [
    ("placed", "placed"), ("accepted", "accepted"), ("preparing", "preparing"), ("ready", "ready"),
    ("picked_up", "pickedUp"), ("delivering", "delivering"), ("arriving", "arriving"), ("returning", "returning"),
    ("delivered", "delivered"), ("cancelled", "cancelled"), ("failed", "failed"), ("returned", "returned")]}
UNAVOIDABLE = {"delivery", "renderGap", "offline", "noToken"}
SECOND = 1_000_000
SAFETY, RENEWAL_OVERLAP, RENEWAL_AGE = 60 * SECOND, 120 * SECOND, 7 * 3600 * SECOND
HOLD_OFF_PLACING, HOLD_OFF_OTHER = 20 * SECOND, 5 * SECOND
FRESH_CAUSE = 600 * SECOND
GRACE_AT_LIFE = SECOND


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def whole(value):
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.lstrip("+-").isdigit():
        value = int(value)
    return value if isinstance(value, int) and value >= 1 else None


class Tracker:
    """The stage that a perfect tracker would show for one order."""

    def __init__(self):
        self.open = self.terminal = (0, None)
        self.reopened, self.shown, self.epoch = 0, None, 0

    def apply(self, step, sequence, reopens):
        before = (self.shown, self.epoch)
        if reopens:
            if sequence > max(self.reopened, self.open[0], self.terminal[0]):
                self.epoch, self.shown = self.epoch + 1, None
            self.reopened = max(self.reopened, sequence)
        if step in TERMINAL:
            if sequence > self.terminal[0]:
                self.terminal = (sequence, step)
        elif sequence > self.open[0]:
            self.open = (sequence, step)
        if self.terminal[1] and self.terminal[0] > self.reopened:
            self.shown = self.terminal[1]
        elif self.open[1]:
            self.shown = max(self.shown or self.open[1], self.open[1], key=RANK.get)
        return before != (self.shown, self.epoch)


def truth_changes(published):
    trackers, changes = {}, []
    for line in sorted(published, key=lambda line: line["at"]):
        event = line["event"] if isinstance(line["event"], dict) else {}
        order, kind, sequence = event.get("subject"), event.get("type"), whole(event.get("sequence"))
        reopens = kind == "order.reopened"
        data = event.get("data") if isinstance(event.get("data"), dict) else {}
        step = data.get("stage") if reopens else BY_TYPE.get(kind)
        if not isinstance(order, str) or not order or sequence is None or step not in RANK:
            continue
        tracker = trackers.setdefault(order, Tracker())
        if tracker.apply(step, sequence, reopens) and tracker.shown:
            changes.append({"at": line["at"], "real": line["real"], "order": order, "step": tracker.shown,
                            "epoch": tracker.epoch})
    return changes


def matches(content, step):
    if content is None:
        return False
    return content == "any" or step in content.split("|") or (
        "arriving" in content.split("|") and step in ("delivering", "pickedUp"))


def add(table, key, value):
    table[key] = table.get(key, 0) + value


class Lane:
    """One order on one phone."""

    def __init__(self, grace, at, excluded, sums):
        self.grace, self.at, self.excluded, self.sums = grace, at, excluded, sums
        self.placing, self.placed_at, self.followed_at, self.truth = False, None, None, None
        self.told = self.shown = self.shown_highest = self.waiting = self.doubled = None
        self.reach = self.lag = ""
        self.start_since = None
        self.cards, self.rungs = {}, {}
        self.shown_epoch = self.wrong_at_end = self.starts = self.rings_missed = 0

    def has_card(self):
        return any(card["active"] for card in self.cards.values())

    def advance(self, moment):
        if moment <= self.at:
            return
        start, self.at = self.at, moment
        if not self.truth:
            return
        terminal = self.truth["step"] in TERMINAL
        if terminal and self.reach == "card":
            scaled = self.grace > GRACE_AT_LIFE
            for left, right in counted(self.excluded, start, moment) if scaled else [(start, moment)]:
                for card in self.cards.values():
                    if card["active"] and card["registered"]:
                        card["past"] += max(right - max(left, self.truth["at"]), 0)
        if self.has_card() and self.reach == "card" and not matches(self.told, self.truth["step"]):
            late = max(start, self.truth["at"] + self.grace)
            self.sums["wrongAfterFaults"] += sum(late < until <= moment for _, until in self.excluded)
        for left, right in counted(self.excluded, start, moment):
            if not terminal:
                self.cover(left, right)
            self.compare(left, right)

    def cover(self, left, right):
        hold = HOLD_OFF_PLACING if self.placing else HOLD_OFF_OTHER
        known = max(self.placed_at, self.followed_at or self.placed_at)
        length = right - max(left, known + hold + self.grace)
        if length <= 0:
            return
        self.sums["live"] += length
        fresh = self.start_since is None or self.start_since - self.truth["at"] <= FRESH_CAUSE
        cause = "noFreshCause" if self.reach == "start" and not fresh else self.reach
        if cause in ("card", "start") or (cause == "noToken" and self.has_card()):
            self.sums["reachable"] += length
            if self.has_card():
                self.sums["covered"] += length
        else:
            add(self.sums["unreachable"], cause, length)

    def compare(self, left, right):
        if not (self.has_card() and self.reach == "card"):
            return
        step = self.truth["step"]
        self.sums["card"] += right - left
        server_true = matches(self.told, step)
        if server_true and self.told != "any" and step not in self.told.split("|"):
            self.sums["derived"] += right - left
        late = right - max(left, self.truth["at"] + self.grace)
        if late <= 0:
            return
        if server_true:
            self.wrong_at_end = 0
        else:
            self.sums["serverWrong"] += late
            self.wrong_at_end += late
        if matches(self.shown, step):
            return
        cause = (self.lag or "unknown") if server_true else "server"
        add(self.sums["losses"], cause, late)
        self.sums["screenExcluded" if cause in UNAVOIDABLE else "screenWrong"] += late

    def truth_changed(self, change):
        if self.placed_at is None:
            self.placed_at = change["at"]
        self.truth, self.wrong_at_end = change, 0
        if self.has_card() and self.reach == "card" and not matches(self.told, change["step"]):
            self.waiting = self.waiting or (change["real"], change["step"])
        elif matches(self.told, change["step"]):
            self.waiting = None

    def record(self, record, delivered_at):
        kind, word = record["kind"], record.get("word", "")
        if kind == "follows":
            self.placing, self.followed_at = word == "placing", record["at"]
        elif kind == "push" and record.get("status") == 200:
            self.pushed(record, word)
        elif kind in ("lag", "dropped"):
            self.lag = word
        elif kind == "card":
            self.card(record, word)
        elif kind == "shown":
            self.showed(record, delivered_at)
        elif kind == "reach":
            since = record["at"] if self.start_since is None else self.start_since
            self.start_since = since if word == "start" else None
            self.reach = word
            if word != "card":
                self.waiting = None
            self.note_doubles()
        elif kind == "ring" and record.get("stage", "any") != "any":
            key = (self.truth["epoch"] if self.truth else 0, record["stage"])
            self.rungs[key] = self.rungs.get(key, 0) + 1
            if self.rungs[key] > 1:
                self.sums["ringsTwice"] += 1

    def pushed(self, record, word):
        if word == "start":
            self.starts += 1
        if word not in ("start", "update", "end"):
            return
        card = self.cards.get(record.get("card", 0))
        if word != "start" and card:
            if word == "end":
                self.sums["endRepeats"] += card["endTold"]
                card["endTold"] = True
            elif record.get("number") is not None and card["number"] == record["number"]:
                self.sums["heartbeats"] += 1
            card["number"] = record.get("number")
        self.told = record.get("stage") or self.told
        if self.waiting and self.truth and matches(self.told, self.truth["step"]):
            waited = record["real"] - self.waiting[0]
            self.sums["timesToTruth"].append(waited)
            if self.waiting[1] == self.truth["step"]:
                self.sums["eventsToPush"].append(waited)
            self.waiting = None

    def card(self, record, word):
        number = record["card"]
        if word in ("started", "pushStarted"):
            self.cards[number] = {"at": record["at"], "active": True, "registered": False, "endTold": False,
                                  "push": word == "pushStarted", "number": None, "past": 0}
            self.told = self.told or record.get("stage")
        elif word == "registered" and number in self.cards:
            self.cards[number]["registered"] = True
        elif word in ("ended", "dismissed") and number in self.cards:
            self.cards[number]["active"] = False
            if not self.has_card():
                self.waiting = None
        self.note_doubles()

    def note_doubles(self):
        both = [card for card in self.cards.values() if card["active"] and card["registered"]]
        if len(both) > 1 and self.reach != "offline":
            if not self.doubled:
                self.doubled = (self.at, any(self.at - card["at"] >= RENEWAL_AGE for card in both))
        else:
            self.close_doubles()

    def close_doubles(self):
        if self.doubled:
            limit = RENEWAL_OVERLAP if self.doubled[1] else SAFETY
            self.sums["duplicates" if self.at - self.doubled[0] > limit else "shortOverlaps"] += 1
            self.doubled = None

    def showed(self, record, delivered_at):
        self.shown = record.get("stage")
        if matches(self.shown, self.truth["step"] if self.truth else "placed"):
            self.lag = ""
        epoch = self.truth["epoch"] if self.truth else 0
        if epoch != self.shown_epoch:
            self.shown_highest = None
        self.shown_epoch = epoch
        if not self.shown or self.shown == "any":
            return
        step, before = self.shown.split("|")[-1], self.shown_highest
        if record.get("push") and before and RANK[step] < RANK[before] and not (
                step in TERMINAL and before in TERMINAL):
            self.sums["regressions"] += 1
        self.shown_highest = max(before or step, step, key=RANK.get)
        arrival = record.get("arrival")
        if arrival is not None and delivered_at and step not in TERMINAL and record["at"] < delivered_at:
            self.sums["arrivalErrors"] += abs(arrival * SECOND - delivered_at)
            self.sums["arrivals"] += 1

    def finish(self, real):
        self.close_doubles()
        if self.waiting:
            self.sums["timesToTruth"].append(real - self.waiting[0])
        limit = SAFETY + self.grace
        self.sums["orphans"] += sum(card["past"] > limit for card in self.cards.values())
        if self.truth and self.truth["step"] in TERMINAL:
            self.sums["endsUntold"] += sum(
                card["active"] and not card["endTold"] and card["past"] > limit for card in self.cards.values())
        confirmed = sum(card["push"] and card["registered"] for card in self.cards.values())
        self.sums["unconfirmedStarts"] += max(0, self.starts - confirmed)
        return self.wrong_at_end > limit


def counted(windows, start, end):
    parts = []
    for left, right in windows:
        if right > start and left < end:
            if left > start:
                parts.append((start, left))
            start = max(start, right)
    if start < end:
        parts.append((start, end))
    return parts


def recount(records, published):
    changes = truth_changes(published)
    delivered = {}
    for change in changes:
        if change["step"] == "delivered":
            delivered.setdefault(change["order"], change["at"])
    excluded = sorted((r["at"], r["number"]) for r in records if r["kind"] == "excluded")
    sums = {name: 0 for name in (
        "live reachable covered card serverWrong screenWrong screenExcluded derived regressions duplicates "
        "shortOverlaps orphans endsUntold heartbeats endRepeats unconfirmedStarts ringsTwice ringsMissed "
        "wrongAfterFaults "
        "arrivalErrors arrivals").split()}
    sums.update(unreachable={}, losses={}, timesToTruth=[], eventsToPush=[])
    figures = {"orders": len({c["order"] for c in changes}), "events": len(published), "pushes": {}, "refused": {},
               "priority10": 0, "violations": {}, "dropped": {}, "lost": set()}
    lanes, by_order, truths, permission, online = {}, {}, {}, {}, {}
    grace = following = 0

    def change_truth(change):
        truths[change["order"]] = change
        for key in by_order.get(change["order"], []):
            lanes[key].advance(change["at"])
            lanes[key].truth_changed(change)

    for record in records:
        while following < len(changes) and changes[following]["at"] <= record["at"]:
            change_truth(changes[following])
            following += 1
        kind = record["kind"]
        if kind == "clock" and "number" in record:
            grace = record["number"]
        elif kind == "violation":
            add(figures["violations"], record["word"], 1)
        elif kind == "phone":
            permission[record["phone"]] = record.get("text") in ("authorized", "provisional")
        elif kind == "push" and record.get("status") == 200:
            add(figures["pushes"], record["word"], 1)
            figures["priority10"] += record.get("priority") == 10
        elif kind == "push":
            add(figures["refused"], str(record.get("status", 0)), 1)
        elif kind == "dropped":
            add(figures["dropped"], record["word"], 1)
        if not record.get("order") or not record.get("phone"):
            continue
        key = (record["phone"], record["order"])
        if key not in lanes:
            lanes[key] = Lane(grace, record["at"], excluded, sums)
            by_order.setdefault(record["order"], []).append(key)
            if record["order"] in truths:
                lanes[key].truth_changed(truths[record["order"]])
        lanes[key].advance(record["at"])
        lanes[key].record(record, delivered.get(record["order"]))
        if kind == "reach":
            online[key] = record["word"] not in ("offline", "loggedOut")
    end, real = records[-1]["at"], records[-1]["real"]
    for change in changes[following:]:
        if change["at"] <= end:
            change_truth(change)
    for key, lane in lanes.items():
        lane.advance(end)
        truth = truths.get(key[1])
        if truth and truth["step"] in MUST_NOTICE and permission.get(key[0]) and online.get(key) and \
                (truth["epoch"], truth["step"]) not in lane.rungs and end - truth["at"] > SAFETY:
            sums["ringsMissed"] += 1
        if lane.finish(real):
            figures["lost"].add(key[1])
    return figures, sums


def decimals(value, places):
    digits = str(abs(value)).rjust(places + 1, "0")
    return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]


def ratio(numerator, denominator):
    if denominator <= 0 or numerator < 0:
        return "null"
    quotient, rest = divmod(numerator * 1_000_000, denominator)
    return decimals(quotient + (rest >= denominator - rest), 6)


def percentile(values, percent):
    if not values:
        return "null"
    return decimals(sorted(values)[max(0, (len(values) * percent + 99) // 100 - 1)], 3)


def thousandths(micros):
    return decimals(micros // 1000, 3)


def listed(table, form=str):
    return "{" + ",".join(json.dumps(name) + ":" + form(table[name]) for name in sorted(table)) + "}"


def report(figures, sums):
    pushes = figures["pushes"]
    kinds = ["start", "update", "end", "alert", "background"]
    screen = sums["card"] - sums["screenExcluded"]
    members = [
        ("orders", figures["orders"]), ("events", figures["events"]),
        ("pushes", "{" + ",".join(f'"{kind}":{pushes.get(kind, 0)}' for kind in kinds) + "}"),
        ("pushesPerOrder", ratio(sum(pushes.values()), figures["orders"])),
        ("serverTruth", ratio(sums["card"] - sums["serverWrong"], sums["card"])),
        ("screenTruth", ratio(screen - sums["screenWrong"], screen)),
        ("coverage", ratio(sums["covered"], sums["reachable"])),
        ("unreachableShare", ratio(sums["live"] - sums["reachable"], sums["live"])),
        ("priority10PerOrder", ratio(figures["priority10"], figures["orders"])),
        ("regressionsShown", sums["regressions"]), ("duplicateCards", sums["duplicates"]),
        ("orphanCards", sums["orphans"]), ("endsUntold", sums["endsUntold"]), ("eventsLost", len(figures["lost"])),
        ("violations", sum(figures["violations"].values())), ("truthLosses", listed(sums["losses"], thousandths)),
        ("unconfirmedStarts", sums["unconfirmedStarts"]), ("ringsTwice", sums["ringsTwice"]),
        ("ringsMissed", sums["ringsMissed"]), ("wrongAfterFaults", sums["wrongAfterFaults"]),
        ("timeToTruthP50Ms", percentile(sums["timesToTruth"], 50)),
        ("timeToTruthP99Ms", percentile(sums["timesToTruth"], 99)),
        ("timeToTruthMaxMs", percentile(sums["timesToTruth"], 100)),
        ("eventToPushP50Ms", percentile(sums["eventsToPush"], 50)),
        ("eventToPushP99Ms", percentile(sums["eventsToPush"], 99)),
        ("etaMaeSeconds", ratio(sums["arrivalErrors"], sums["arrivals"] * SECOND)),
        ("heartbeats", sums["heartbeats"]), ("endRepeats", sums["endRepeats"]),
        ("shortOverlaps", sums["shortOverlaps"]), ("cardSeconds", thousandths(sums["card"])),
        ("reachableSeconds", thousandths(sums["reachable"])), ("derivedArrivingSeconds", thousandths(sums["derived"])),
        ("unreachableSeconds", listed(sums["unreachable"], thousandths)), ("dropped", listed(figures["dropped"])),
        ("refused", listed(figures["refused"])), ("violationsByReason", listed(figures["violations"])),
    ]
    return "{" + ",".join(f'"{name}":{value}' for name, value in members) + "}"


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help") or (len(arguments) == 3) != ("--compare" in arguments):
        sys.stderr.write(__doc__)
        return 2
    logs = Path(arguments[0])
    records = lines(logs / "truth.jsonl")
    if not records:
        sys.stderr.write(f"{logs / 'truth.jsonl'} is empty: nothing to recount\n")
        return 1
    text = report(*recount(records, lines(logs / "published.jsonl")))
    print(text)
    if "--compare" in arguments and Path(arguments[2]).read_text(encoding="utf-8").strip() != text:
        sys.stderr.write(f"the recount differs from {arguments[2]}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
