WITH leaf AS MATERIALIZED (
    SELECT event.id >> 7 AS node, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden FROM event JOIN event_series ON event_series.id = event.event_series_id
    WHERE event.id IS NOT NULL GROUP BY 1)
  INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'id', shift.value, leaf.node >> (shift.value - 7), sum(leaf.public), sum(leaf.common), sum(leaf.private), sum(leaf.hidden)
  FROM leaf CROSS JOIN json_each('[7,11,15,19,23,27,53]') AS shift WHERE true GROUP BY 2, 3;
--> statement-breakpoint
WITH leaf AS MATERIALIZED (
    SELECT event.duration_class >> 0 AS node, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden FROM event JOIN event_series ON event_series.id = event.event_series_id
    WHERE event.duration_class IS NOT NULL GROUP BY 1)
  INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'class', shift.value, leaf.node >> (shift.value - 0), sum(leaf.public), sum(leaf.common), sum(leaf.private), sum(leaf.hidden)
  FROM leaf CROSS JOIN json_each('[0]') AS shift WHERE true GROUP BY 2, 3;
