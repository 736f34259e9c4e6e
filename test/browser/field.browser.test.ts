import type { Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { addFilter, apply, chipsOf } from './browser.ts'
import { DUTCH, describePages, EVENTS } from './pages.ts'

/** A field that the page does not know. The service describes it as any other one. */
const FIELD = {
  ...{ name: 'severity', label: ['Severity', 'Ernst'], kind: 'text', group: 'what' },
  ...{ lookups: ['', 'icontains'], order: 'severity', column: 1 },
}
const SCRIPT = (id: string) => new RegExp(`(<script type="application/json" id="${id}">)(.*?)(</script>)`, 's')

/** Changes the JSON in a script element of a page. */
const changedIn = (html: string, id: string, change: (value: Record<string, unknown>) => void): string =>
  html.replace(SCRIPT(id), (_, begin: string, text: string, end: string) => {
    const value = JSON.parse(text)
    change(value)
    return `${begin}${JSON.stringify(value).replaceAll('<', '\\u003c')}${end}`
  })

interface Described {
  readonly fields?: object[]
  readonly ordering?: string[]
}

/** Adds the field to what the service says of a list or an item. */
const describeField = ({ about }: Record<string, unknown>): void => {
  const { fields, ordering } = about as Described
  fields?.push(FIELD)
  ordering?.push(FIELD.order)
}

/** Adds a value of the field to each event in an answer. */
const addValues = (body: Record<string, unknown>): void => {
  const events = (body.results ?? [body]) as readonly { readonly properties?: Record<string, unknown> }[]
  for (const [i, { properties }] of events.entries()) if (properties) properties.severity = i % 2 === 0 ? 'high' : 'low'
}

/** Answers a request for a page as a service whose model has the field. Its own filters do not know it. */
const withField = async (route: Route): Promise<void> => {
  if (route.request().resourceType() !== 'document') return route.continue()
  const url = new URL(route.request().url())
  for (const name of [...url.searchParams.keys()].filter((key) => key.startsWith(FIELD.name)))
    url.searchParams.delete(name)
  if (url.searchParams.get('ordering')?.includes(FIELD.name)) url.searchParams.delete('ordering')
  const response = await route.fetch({ url: url.href })
  const html = changedIn(await response.text(), 'context', describeField)
  await route.fulfill({ response, body: changedIn(html, 'answer', addValues) })
}

describePages('a field that the page does not know', {}, (pages) => {
  const look = (path: string, act: (page: Page) => Promise<void>) =>
    pages.look(
      '/api/v3/',
      async (page) => {
        await page.route((url) => url.pathname.startsWith(EVENTS), withField)
        await page.goto(`${pages.address}${path}`)
        await act(page)
      },
      { ...DUTCH, errors: /status of 400/ },
    )

  it('is a column that sorts, and an entry of the menus of columns, orders and filters', () =>
    look(`${EVENTS}?page_size=4`, async (page) => {
      const head = page.getByRole('columnheader', { name: 'Ernst' })
      await head.getByRole('button').waitFor()
      expect(await page.locator('tbody td[data-label="Ernst"]').allInnerTexts()).toEqual(['high', 'low', 'high', 'low'])
      expect(await page.locator('#ordering option[value="-severity"]').innerText()).toBe('Ernst, Z–A')
      await page.getByRole('button', { name: /^Kolommen/ }).click()
      await page.getByRole('checkbox', { name: 'Ernst' }).waitFor()
      await page.keyboard.press('Escape')
      await addFilter(page, 'severity')
      await page.locator('form.editor .label').getByText('Ernst').waitFor()
      await apply(page, 'high')
      // The service refuses the filter, and the page shows where.
      await page.locator('form.editor .fault, .notice').first().waitFor()
    }))

  it('is in the words of a filter, and among the facts of an event', () =>
    look(`${EVENTS}?page_size=4&severity__icontains=high`, async (page) => {
      await expect.poll(() => chipsOf(page)).toEqual(['Ernst bevat high'])
      await page.goto(`${pages.address}${EVENTS}1/`)
      const facts = page.locator('.facts > div').filter({ has: page.getByText('Ernst', { exact: true }) })
      await expect.poll(() => facts.first().innerText()).toMatch(/Ernst\s+high/)
    }))
})
