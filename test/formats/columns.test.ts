import { beforeAll, describe, expect, it } from 'vitest'
import { eventOf, seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { get, load, send } from '../service.ts'
import { EVENTS, outcome, SERIES, write } from '../store/writer.ts'

const ONE = `event_series=${uuidOf(1)}`
const V4 = `${SERIES}${uuidOf(1)}/events/`

beforeAll(async () => {
  const attributes = [
    { Gemeente: 'Houten', Volume: 5, Overstort: true, Punten: [1, 2], Code: '=1+1' },
    { Gemeente: 'Bunnik, "oud"', Volume: 2.5 },
    null,
  ]
  await load([
    typeOf(1),
    seriesOf(1, 'Public'),
    seriesOf(2, 'Public'),
    ...attributes.map((each, i) => ({ ...eventOf(11 + i, 1), value: `${i} m`, attributes: each })),
    { ...eventOf(21, 2), attributes: { Gemeente: 'Zeist' } },
  ])
  await write('PATCH', `${SERIES}${uuidOf(1)}/metadata/`, {
    fields: [
      { name: 'attributes__Gemeente', title: 'Gemeente', type: 'string' },
      { name: 'value', title: 'Peil', type: 'string', unit: 'm' },
      { name: 'attributes__Volume', title: 'Volume', type: 'number', unit: 'm³' },
      { name: 'timestamp_start', title: 'Begin', type: 'datetime' },
      { name: 'attributes__Overstort', title: 'Begin', type: 'boolean' },
      { name: 'attributes__Punten', type: 'array' },
      { name: 'attributes__Code', type: 'string' },
    ],
  })
})

const linesOf = async (path: string) => {
  const response = await send(path)
  expect(response.status).toBe(200)
  return (await response.text()).replace('\ufeff', '').trimEnd().split('\r\n')
}

describe('a file with the events of one series', () => {
  it('has a column for each attribute in CSV, and the number of the value', async () => {
    const [head, ...lines] = await linesOf(`${EVENTS}?format=csv&${ONE}`)
    expect(head).toMatch(/,value,value_number,/)
    expect(head).toMatch(
      /,attributes__Gemeente,attributes__Volume,attributes__Overstort,attributes__Punten,attributes__Code$/,
    )
    expect(head).not.toMatch(/,attributes(,|$)/)
    expect(lines).toEqual([
      expect.stringMatching(/,Houten,5,true,"\[1,2\]",'=1\+1$/),
      expect.stringMatching(/,"Bunnik, ""oud""",2.5,,,$/),
      expect.stringMatching(/,,,,,$/),
    ])
  })

  it('has titles in a spreadsheet. Equal ones have the name beside them', async () => {
    const [head] = await linesOf(`${V4}?format=spreadsheet`)
    expect(head).toMatch(/,Peil \(m\),value_number,/)
    expect(head).toContain('Begin (start)')
    expect(head).toMatch(/Gemeente,Volume \(m³\),Begin \(attributes__Overstort\),Punten,Code$/)
  })

  it('has the columns beside the attributes in GeoJSON, and may be sent back', async () => {
    const { features } = await get(`${EVENTS}?format=geojson&${ONE}`)
    const { attributes, value_number, attributes__Volume, attributes__Punten } = features[0].properties
    expect({ value_number, attributes__Volume, attributes__Punten }).toEqual({
      value_number: 0,
      attributes__Volume: 5,
      attributes__Punten: [1, 2],
    })
    expect(attributes.Volume).toBe(5)
    expect(features[2].properties.attributes__Volume).toBeNull()
    expect((await outcome('PUT', `${EVENTS}${features[0].id}/`, features[0])).status).toBe(200)
    expect((await get(`${EVENTS}?format=geojson&${ONE}`)).features[0].properties.attributes).toEqual(attributes)
  })

  it('has the further attributes in one cell if the description has no room for them', async () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}`, i]))
    await write('POST', EVENTS, {
      type: 'Feature',
      geometry: null,
      properties: { event_series: uuidOf(2), timestamp_start: 5000, attributes: many },
    })
    const [head = '', ...lines] = await linesOf(`${EVENTS}?format=csv&event_series=${uuidOf(2)}&ordering=id`)
    expect(head).toMatch(/,attributes__f0,.*,attributes$/)
    expect(lines[0]).toMatch(/Zeist,+$/)
    expect(lines[1]).toMatch(/"\{""f9\d"":9\d,.*""f119"":119\}"$/)
  })

  it.each(['', 'event_series=0', 'event_series_name__in=x'].map((filter) => [filter]))(
    'has one cell of attributes if the filters name no single series: %s',
    async (filter) => {
      const response = await send(`${EVENTS}?format=csv&${filter}`)
      const [head] = (await response.text()).split('\r\n')
      expect(response.status === 400 || head?.endsWith(',attributes')).toBe(true)
    },
  )
})

describe('fields=attributes__NAME', () => {
  it.each([
    ['csv', ['attributes__Volume,id,attributes__None', '5,11,', '2.5,12,', ',13,', ',21,']],
    ['spreadsheet', ['attributes__Volume,id,attributes__None', '5,11,', '2.5,12,', ',13,', ',21,']],
  ])('chooses columns in %s in their order, also of several series', async (format, lines) => {
    const fields = 'attributes__Volume,id,attributes__None'
    expect((await linesOf(`${EVENTS}?format=${format}&fields=${fields}&id__lt=100`)).slice(0, 5)).toEqual(lines)
  })

  it('chooses the number of a value in tables and GeoJSON, also of several series', async () => {
    const query = 'fields=value_number,id&id__lt=13'
    expect(await linesOf(`${EVENTS}?format=csv&${query}`)).toEqual(['value_number,id', '0,11', '1,12'])
    const { features } = await get(`${EVENTS}?format=geojson&${query}`)
    expect(features[1]).toEqual({ type: 'Feature', id: 12, geometry: null, properties: { value_number: 1 } })
    const { status, body } = await outcome('GET', `${EVENTS}?${query}`)
    expect([status, body.fields]).toEqual([400, [expect.stringContaining('no member "value_number"')]])
  })

  it('has titles in a spreadsheet of one series', async () => {
    expect(await linesOf(`${EVENTS}?format=spreadsheet&fields=value,attributes__Volume&${ONE}&id=11`)).toEqual([
      'Peil (m),Volume (m³)',
      '0 m,5',
    ])
  })

  it('chooses properties in GeoJSON', async () => {
    const { features } = await get(`${EVENTS}?format=geojson&fields=attributes__Volume&${ONE}`)
    expect(features[0]).toEqual({ type: 'Feature', geometry: null, properties: { attributes__Volume: 5 } })
  })

  it('chooses among the attributes in version 4, and is a 400 in JSON of version 3', async () => {
    const { results } = await get(`${V4}?fields=attributes__Volume,attributes__None`)
    expect(results.map(({ properties }: { properties: object }) => properties)).toEqual([
      { attributes: { Volume: 5 } },
      { attributes: { Volume: 2.5 } },
      { attributes: null },
    ])
    const { status, body } = await outcome('GET', `${EVENTS}?fields=attributes__Volume`)
    expect([status, body.fields]).toEqual([400, [expect.stringContaining('no member "attributes__Volume"')]])
  })
})

describe('timezone', () => {
  const times = async (query: string) => {
    const text = (await (await send(`${EVENTS}?${query}`)).text()).replace('\ufeff', '')
    return text.trimEnd().split('\r\n')
  }
  const LOCAL = 'fields=timestamp_start&id=11&timezone=Europe/Amsterdam'

  it('has the offset in CSV and GeoJSON, and the zone in the header of a spreadsheet', async () => {
    expect(await times(`format=csv&${LOCAL}`)).toEqual(['timestamp_start', '1970-01-01T01:00:11+01:00'])
    expect(await times(`format=spreadsheet&${LOCAL}`)).toEqual([
      'timestamp_start (Europe/Amsterdam)',
      '1970-01-01 01:00:11',
    ])
    expect((await times(`format=spreadsheet&${LOCAL}&${ONE}`))[0]).toBe('Begin (Europe/Amsterdam)')
    const { features } = await get(`${EVENTS}?format=geojson&${LOCAL}`)
    expect(features[0].properties).toEqual({ timestamp_start: '1970-01-01T01:00:11+01:00' })
    const item = await (await send(`${EVENTS}11/?format=csv&fields=timestamp_start&timezone=Asia/Kolkata`)).text()
    expect(item).toContain('1970-01-01T05:30:11+05:30')
  })

  it.each(['format=json', 'format=ndjson'])('leaves the times of %s in UTC', async (query) => {
    const [zoned, plain] = await Promise.all(['&timezone=Asia/Tokyo', ''].map((zone) => times(`${query}&id=11${zone}`)))
    expect(zoned).toEqual(plain)
  })

  it('is a 400 for a name that is no zone', async () => {
    const { status, body } = await outcome('GET', `${EVENTS}?format=csv&timezone=Mars`)
    expect([status, Object.keys(body)]).toEqual([400, ['timezone']])
  })
})
