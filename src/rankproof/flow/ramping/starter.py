"""Starter: the text of a ramp's policy to begin with, every key of it explained."""

from __future__ import annotations

STARTER = """\
# How a change goes from the offline gate to all traffic: rankproof ramp THIS-FILE
# One call is one look: it reads the day files that have come, decides, records the decision and prints it. Call it as
# often as you like; with nothing new it says the same again. Your own system sets the traffic, by what it says.
# Exit status: 0 go on (or committed), 3 hold, 1 stop and roll back (2: this file or the command line is wrong).
#
# These rules hold from the first look to the last. Other rules are another ramp, with another state file.

[ramp]
name = "new ranking"
trial = "trial.toml"              # the design of the trial: `rankproof trial init` writes one
gate = "gate.toml"                # the offline gate that comes first: `rankproof gate init`; leave it out for none
days = "days"                     # the folder for day files: rankproof trial collect ... -o days/DATE.json
# state = "ramp.ramp.jsonl"       # keeps every decision; beside this file, and named after it, by default
false_alarm = 0.05                # how probable a roll-back of a harmless change may be, over all steps and looks

# ---- The steps: a share of traffic and what it takes to leave it ----------------------------------
# least_days, least_units    evidence at this share before it may be left; units of all variants together
# most_days                  days after which the ramp stops where the step was not left; without it, it holds on
# advance                    "no_harm": nothing is shown to be worse
#                            "guardrails": every guardrail is shown to hold, within its margin
#                            "pass": the trial's whole verdict is PASS

[[step]]
share = 0.01
least_days = 1
least_units = 1000

[[step]]
share = 0.05
least_days = 2
least_units = 5000

[[step]]
share = 0.25
least_days = 3
most_days = 14
advance = "guardrails"

[[step]]
share = 0.50
least_days = 7                    # every day of the week
most_days = 28
advance = "pass"

# ---- What stops it and rolls it back to 0% --------------------------------------------------------

[stop]
harm = "margin"                   # a metric may be worse by the margin of the design; "any": not at all
decision = "stop"                 # a deciding metric is shown to miss its goal; "hold" leaves it to a person
sample_ratio = "stop"             # units did not come in the planned shares: no number can be trusted; or "hold"
least_units = 100                 # in each variant, before a metric may stop it: bounds hold for many units
"""
