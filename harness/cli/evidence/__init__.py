"""What a score can be defended with: reviews, consistency, baselines, comparisons, and all of it verified."""
