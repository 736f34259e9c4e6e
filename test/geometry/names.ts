/** Names of reference systems in degrees, as programs write them. CRS84 is first. */
const CRS84 = [
  ...['urn:ogc:def:crs:OGC:1.3:CRS84', 'urn:ogc:def:crs:OGC::CRS84', 'urn:ogc:def:crs:OGC::CRS84h', 'OGC:CRS84'],
  ...['http://www.opengis.net/def/crs/OGC/1.3/CRS84', 'https://www.opengis.net/def/crs/OGC/0/CRS84h', 'CRS:84'],
]
const DEGREES = [
  ...['urn:ogc:def:crs:EPSG::4326', 'urn:ogc:def:crs:EPSG:8.9:4326', 'urn:x-ogc:def:crs:EPSG:4326', 'EPSG:4326'],
  ...['epsg:4326', ' EPSG:4326 ', 'EPSG::4326', 'http://www.opengis.net/def/crs/EPSG/0/4326'],
  ...['https://www.opengis.net/def/crs/EPSG/9.9.1/4326', 'http://www.opengis.net/gml/srs/epsg.xml#4326'],
  ...['urn:ogc:def:crs:EPSG::4979', 'EPSG:4258', 'http://www.opengis.net/def/crs/EPSG/0/4937'],
]
const RD = [
  ...['urn:ogc:def:crs:EPSG::28992', 'urn:ogc:def:crs:EPSG:6.9:28992', 'http://www.opengis.net/def/crs/EPSG/0/28992'],
  ...['EPSG:28992', 'EPSG:7415', 'urn:ogc:def:crs:EPSG::7415', 'http://www.opengis.net/def/crs/EPSG/0/7415'],
]
export const NAMES = { CRS84, DEGREES, RD }

/** Names that no reader may take for another one. */
export const OTHER_NAMES = [
  'WGS 84',
  '4326',
  'EPSG:43260000000',
  'xEPSG:4326',
  'EPSG:4326;x',
  'OGC:CRS83',
  'CRS84hh',
  '',
]
