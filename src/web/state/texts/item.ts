import { language, textNamed, textsOf } from '../text.ts'

/** The texts of single items and the home page, which load after the first rows. */
export const detailTexts = textsOf({
  moreInJson: ['{} more in the JSON below', 'Nog {} in de JSON hieronder'],
  backTo: ['Back to the {}', 'Terug naar de {}'],
  all: ['All {}', 'Alle {}'],
  neighbours: ['The list of this event', 'De lijst van deze gebeurtenis'],
  previous: ['Previous', 'Vorige'],
  next: ['Next', 'Volgende'],
  others: ['Other events of {}', 'Andere gebeurtenissen van {}'],
  here: ['Other events at this place', 'Andere gebeurtenissen op deze plek'],
  strip: ['Over time: {}', 'In de tijd: {}'],
  lookups: ['Show {} more: the lookups of these parameters', 'Toon nog {}: de voorwaarden voor deze parameters'],
  series: {
    events: ['Events of this series', 'Gebeurtenissen van deze reeks'],
    observes: ['Observes', 'Soort waarneming'],
    type: ['Observation type', 'Soort waarneming'],
    statistic: ['Statistic', 'Statistiek'],
  },
  home: {
    explore: ['Explore the events', 'Bekijk de gebeurtenissen'],
    allSeries: ['All {} event series', 'Alle {} reeksen'],
    figures: ['{} in {}', '{} in {}'],
    programs: ['For programs', 'Voor programma’s'],
  },
})

/** Texts of the service in Dutch. Others, such as those of an operator, stay as they are. */
const DUTCH: Readonly<Record<string, string>> = {
  'Events on a map, over time, and as data.': 'Gebeurtenissen op een kaart, in de tijd en als data.',
  'Geo-referenced, time-stamped events and the series that group them, as features (OGC API - Features).':
    'Gebeurtenissen met plaats en tijd, en de reeksen daarvan, als features (OGC API - Features).',
  'All events': 'Alle gebeurtenissen',
  'All events that you may see. An event happened at a place, from a start to an end.':
    'Alle gebeurtenissen die u mag zien. Een gebeurtenis was op een plek, van een begin tot een eind.',
  'As a page': 'Als pagina',
  'As a style for MapLibre': 'Als stijl voor MapLibre',
  'As JSON': 'Als JSON',
  'As TileJSON': 'Als TileJSON',
  Attribution: 'Bronvermelding',
  Collections: 'Collecties',
  Conformance: 'Conformiteit',
  'Conforms to': 'Voldoet aan',
  CRS: 'Coördinatenstelsels',
  Description: 'Beschrijving',
  'Event series': 'Reeksen',
  Events: 'Gebeurtenissen',
  Extent: 'Omvang',
  'In the list': 'In de lijst',
  Interval: 'Periode',
  'Item count': 'Aantal',
  'Item type': 'Soort item',
  'Its events': 'De gebeurtenissen ervan',
  'Number matched': 'Aantal gevonden',
  'Number returned': 'Aantal getoond',
  Reference: 'Documentatie',
  Spatial: 'Ruimtelijk',
  'Storage CRS': 'Opgeslagen in',
  Temporal: 'In de tijd',
  'The collection': 'De collectie',
  'The collections': 'De collecties',
  'The conformance classes': 'De conformiteitsklassen',
  'The description of this interface': 'De beschrijving van deze interface',
  'The description of this interface as a page': 'De beschrijving van deze interface als pagina',
  'The features as a page': 'De features als pagina',
  'The features as GeoJSON': 'De features als GeoJSON',
  'The properties for filters': 'De eigenschappen voor filters',
  'The properties for sortby': 'De eigenschappen om op te sorteren',
  'The properties of features': 'De eigenschappen van features',
  'The properties of features as GeoJSON': 'De eigenschappen van features als GeoJSON',
  'The series that group events. Each is the rectangle around the places of its events.':
    'De reeksen van gebeurtenissen. Elke reeks is de rechthoek om de plekken van haar gebeurtenissen.',
  'The tile matrix sets': 'De tegelindelingen',
  'The tiles': 'De tegels',
  'The tileset': 'De tegelset',
  'The whole list as a stream': 'De hele lijst als stroom',
  'This collection': 'Deze collectie',
  'This collection as a page': 'Deze collectie als pagina',
  'This document': 'Dit document',
  'Tile matrix sets': 'Tegelindelingen',
  Title: 'Titel',
  'Vector tiles': 'Vectortegels',
}

/** Returns a text of the service in the language of the page, if the page has it. */
export const inWords = (text: string): string => (language.value === 'nl' && textNamed(DUTCH, text)) || text
