"""Values that stay right although the model that graded errs: prediction-powered inference for rankings."""
