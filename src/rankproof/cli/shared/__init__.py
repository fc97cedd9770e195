"""What the commands share: errors, output, options, progress."""
