"""How far judges agree: kappas, alpha, confusion and bias, each with an interval that knows that queries differ."""
