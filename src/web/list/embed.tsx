import { fragmentOf, hrefOf, type PageAddress, view } from '../state/address.ts'
import { formatDay } from '../state/format.ts'
import { texts, textsOf } from '../state/text.ts'
import { CopyButton } from './cells.tsx'
import { EMBEDS, type Embed } from './listContext.ts'

const embedTexts = textsOf({
  title: ['Embed', 'Insluiten'],
  about: [
    'Copies the code that shows a part of this page in another site. It shows what everybody may see. The operator of this service must allow the site.',
    'Kopieert de code die een deel van deze pagina op een andere site toont. Daar staat wat iedereen mag zien. De beheerder van deze dienst moet de site toelaten.',
  ],
  map: ['Map', 'Kaart'],
  graph: ['Graph', 'Grafiek'],
  table: ['Table', 'Tabel'],
  number: ['Number', 'Aantal'],
  open: ['Open the whole page', 'Open de hele pagina'],
})

/** The height of each part in pixels. The frame is as wide as its place. */
const HEIGHTS: Readonly<Record<Embed, number>> = { map: 420, graph: 260, table: 480, number: 120 }

/** Buttons that copy the code of a frame with a part of the list. */
export const EmbedCodes = ({ place, counted }: { readonly place: PageAddress; readonly counted: string }) => {
  const t = embedTexts()
  const codeOf = (embed: Embed) => () => {
    const parts = new Map(view.value).set('embed', embed)
    const src = `${location.origin}${hrefOf(place)}${fragmentOf(parts)}`
    const looks = { height: HEIGHTS[embed], width: '100%', loading: 'lazy', frameBorder: '0' } as const
    return Object.assign(document.createElement('iframe'), { src, title: counted, ...looks }).outerHTML
  }
  return (
    <section id="embed" aria-label={t.title}>
      <h3>{t.title}</h3>
      <p>{t.about}</p>
      <div class="row actions">
        {EMBEDS.map((embed) => (
          <CopyButton key={embed} label={t[embed]} text={codeOf(embed)} />
        ))}
      </div>
    </section>
  )
}

/** The source of a frame, and a link to its whole page. */
export const EmbedSource = ({ place, origin }: { readonly place: PageAddress; readonly origin: string }) => {
  const whole = new Map([...view.value].filter(([part]) => part !== 'embed'))
  return (
    <p class="muted">
      {texts().units.source}: {origin || location.host}, {formatDay(Date.now())} ·{' '}
      <a href={`${hrefOf(place)}${fragmentOf(whole)}`} target="_blank" rel="noopener">
        {embedTexts().open}
      </a>
    </p>
  )
}
