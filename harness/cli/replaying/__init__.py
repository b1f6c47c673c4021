"""fc-replay's work: conversations played again, checked against what stands beside them, shown, compared, served."""
