import { version } from 'swagger-ui-dist/package.json'

/**
 * The reference page, which shows the description of the interface in Swagger UI. Its addresses are relative, because
 * BASE_URL may have a path.
 */
export const DOCS = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Event and Event Series Query Interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/kept/swagger-ui-${version}.css">
<link rel="stylesheet" href="assets/docs.css">
<nav class="way-back" aria-label="Pages of this service"><a href="./"><b>Home</b></a> <a href="api/v3/events/">Events</a> <a href="api/v3/eventseries/">Event series</a> <a href="openapi.json">openapi.json</a></nav>
<div id="docs"></div>
<noscript>Without scripts: <a href="openapi.json">openapi.json</a></noscript>
<script src="assets/kept/swagger-ui-${version}.js"></script>
<script src="assets/docs.js" type="module"></script>
</html>
`
