"""Table models over tuples of rows, and the table view with the habits of a spreadsheet."""
