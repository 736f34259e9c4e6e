import { expect, it } from 'vitest'
import { beginWithSeed, send } from '../service.ts'

beginWithSeed()

const HURRICANES = '4df9f063-2b9c-5912-b69d-125657e72586'

it('a spreadsheet of one series has the titles of its fields', async () => {
  const query = `format=spreadsheet&event_series=${HURRICANES}&facets=category&statistics=attributes__wind`
  const response = await send(`/api/v3/events/summary/?${query}&distinct=attributes__pressure`)
  const wind = ['count', 'min', 'max', 'mean', 'sum'].map((name) => `Maximum sustained wind (kn): ${name}`)
  const [head] = (await response.text()).split('\r\n')
  expect(head).toBe(`Storm,count,${wind.join()},Lowest air pressure (hPa): distinct`)
})
