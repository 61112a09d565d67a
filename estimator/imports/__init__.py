"""Files that planners bring: tables read within bounds, price lists, task lists. One format a module."""
