extends "./choices.gd"
## Inherits its choices from another script.
