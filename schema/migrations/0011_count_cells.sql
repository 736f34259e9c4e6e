WITH leaf AS MATERIALIZED (
    SELECT event.cell >> 36 AS node, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden FROM event JOIN event_series ON event_series.id = event.event_series_id
    WHERE event.cell IS NOT NULL GROUP BY 1)
  INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'cell', shift.value, leaf.node >> (shift.value - 36), sum(leaf.public), sum(leaf.common), sum(leaf.private), sum(leaf.hidden)
  FROM leaf CROSS JOIN json_each('[36,40,44,48]') AS shift WHERE true GROUP BY 2, 3;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'cell', 32, event.cell >> 32 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'cell' AND shift = 36 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_of_cell ON event.cell BETWEEN above.node << 36 AND (above.node << 36) + (1 << 36) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'cell', 28, event.cell >> 28 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'cell' AND shift = 32 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_of_cell ON event.cell BETWEEN above.node << 32 AND (above.node << 32) + (1 << 32) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'cell', 24, event.cell >> 24 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'cell' AND shift = 28 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_of_cell ON event.cell BETWEEN above.node << 28 AND (above.node << 28) + (1 << 28) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'cell', 20, event.cell >> 20 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'cell' AND shift = 24 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_of_cell ON event.cell BETWEEN above.node << 24 AND (above.node << 24) + (1 << 24) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'cell', 16, event.cell >> 16 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'cell' AND shift = 20 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_of_cell ON event.cell BETWEEN above.node << 20 AND (above.node << 20) + (1 << 20) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'cell', 12, event.cell >> 12 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'cell' AND shift = 16 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_of_cell ON event.cell BETWEEN above.node << 16 AND (above.node << 16) + (1 << 16) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
