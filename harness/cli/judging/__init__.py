"""fc-judge's work: evidence found, cut into pieces, judged, told and written as reports."""
