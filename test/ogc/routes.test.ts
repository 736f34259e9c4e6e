import { expect, it } from 'vitest'
import { beginWithSeed, send } from '../service.ts'

beginWithSeed()

const READ = 'GET, HEAD, OPTIONS'
const ITEMS = 'GET, POST, HEAD, OPTIONS'
const ITEM = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'
const UNKNOWN = 'events-00000000-0000-0000-0000-000000000000'

it.each([
  ['GET', '/ogc', 200, READ],
  ['GET', '/ogc/', 200, READ],
  ['GET', '/ogc//conformance//', 200, READ],
  ['HEAD', '/ogc/collections/events/', 200, READ],
  ['POST', '/ogc/conformance', 405, READ],
  ['GET', '/ogc/api/more', 404, READ],
  ['OPTIONS', '/ogc/nothing', 200, READ],
  ['GET', '/ogc/nothing', 404, READ],
  ['GET', '/ogcs', 404, null],
  ['GET', '/ogc/collections/none', 404, READ],
  ['OPTIONS', '/ogc/collections/none', 404, READ],
  ['GET', '/ogc/collections/none/items', 404, READ],
  ['GET', '/ogc/collections/%FF', 404, READ],
  ['OPTIONS', '/ogc/collections/events', 200, READ],
  ['OPTIONS', '/ogc/collections/events/items/1', 200, READ],
  ['OPTIONS', '/ogc/collections/events-99fe5d03-893d-5b20-8244-b9189db33e37/items', 200, READ],
  ['GET', '/ogc/collections/events/items', 200, ITEMS],
  ['GET', '/ogc/collections/events/items/1/', 200, ITEM],
  ['GET', '/ogc/collections/events/items/1/more', 404, READ],
  ['GET', '/ogc/collections/events/items/%E0', 404, ITEM],
  ['GET', '/ogc/collections/events/items/x', 404, ITEM],
  ['GET', '/ogc/collections/events/items/99999999', 404, ITEM],
  ['DELETE', '/ogc/collections/events/items', 405, ITEMS],
  ['POST', '/ogc/collections/events/items/1', 405, ITEM],
  ['POST', '/ogc/collections/events-1/items', 405, READ],
  ['OPTIONS', '/ogc/collections/events-1/items', 404, READ],
  ['POST', `/ogc/collections/${UNKNOWN}/items`, 401, ITEMS],
  ['OPTIONS', `/ogc/collections/${UNKNOWN}/items`, 404, ITEMS],
  ['GET', `/ogc/collections/${UNKNOWN}/items`, 404, ITEMS],
  ['GET', `/ogc/collections/${UNKNOWN}`, 404, READ],
  ['GET', `/ogc/collections/${UNKNOWN}/items/1`, 404, ITEM],
  ['GET', `/ogc/collections/${UNKNOWN}/tiles`, 404, READ],
  ['GET', '/ogc/collections/eventseries/tiles', 404, READ],
  ['GET', '/ogc/collections/events/tiles/none', 404, READ],
  ['GET', '/ogc/collections/events/tiles/WebMercatorQuad/other.json', 404, READ],
  ['GET', '/ogc/tileMatrixSets/none', 404, READ],
  ['GET', '/ogc/tileMatrixSets/WebMercatorQuad/0', 404, READ],
  ['GET', '/ogc/collections/events/tiles/WorldCRS84Quad', 200, READ],
  ['GET', '/ogc/collections/events/tiles/WorldCRS84Quad/tilejson.json', 404, READ],
  ['GET', '/ogc/collections/events/tiles/WebMercatorQuad/0/0/0', 200, READ],
  ['GET', '/ogc/collections/events/tiles/WebMercatorQuad/0/0/1', 404, READ],
])('%s %s: %i, Allow: %s', async (method, path, status, allow) => {
  const response = await send(path, { method })
  expect([response.status, response.headers.get('Allow')]).toEqual([status, allow])
  await response.arrayBuffer()
})
