WITH leaf AS MATERIALIZED (
    SELECT event."end" >> 27 AS node, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden FROM event JOIN event_series ON event_series.id = event.event_series_id
    WHERE event."end" IS NOT NULL GROUP BY 1)
  INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'end', shift.value, leaf.node >> (shift.value - 27), sum(leaf.public), sum(leaf.common), sum(leaf.private), sum(leaf.hidden)
  FROM leaf CROSS JOIN json_each('[27,31,35,39]') AS shift WHERE true GROUP BY 2, 3;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'end', 23, event."end" >> 23 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'end' AND shift = 27 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_by_end ON event."end" BETWEEN above.node << 27 AND (above.node << 27) + (1 << 27) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'end', 19, event."end" >> 19 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'end' AND shift = 23 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_by_end ON event."end" BETWEEN above.node << 23 AND (above.node << 23) + (1 << 23) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'end', 15, event."end" >> 15 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'end' AND shift = 19 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_by_end ON event."end" BETWEEN above.node << 19 AND (above.node << 19) + (1 << 19) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
--> statement-breakpoint
INSERT INTO event_count (tree, shift, node, public, common, private, hidden)
  SELECT 'end', 11, event."end" >> 11 AS part, 1 * sum(event_series.access_modifier = 0) AS public, 1 * sum(event_series.access_modifier = 100) AS common, 1 * sum(event_series.access_modifier = 200) AS private, 1 * sum(event_series.access_modifier = 300) AS hidden
  FROM (SELECT node FROM event_count WHERE tree = 'end' AND shift = 15 AND public + common + private + hidden >= 32) AS above
  CROSS JOIN event INDEXED BY event_by_end ON event."end" BETWEEN above.node << 15 AND (above.node << 15) + (1 << 15) - 1 JOIN event_series ON event_series.id = event.event_series_id
  GROUP BY part HAVING count(*) >= 32;
