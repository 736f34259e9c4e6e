import { type PageAddress, setView, view } from '../state/address.ts'
import { choicesFor, groupingIn, groupTexts, type Named } from '../state/groups.ts'
import { COMPARISONS, comparisonIn, periodIn } from '../state/periods.ts'
import { type Option, Options } from './cells.tsx'
import type { ListContext } from './listContext.ts'

export interface GroupsProps {
  /** A list of events of version 3. */
  readonly place: PageAddress
  readonly known: ListContext
  readonly rows: readonly object[]
}

/** The choice of groups and of a comparison. The address keeps it. */
export const GroupChoice = ({ place, known: { columns }, rows }: GroupsProps) => {
  const t = groupTexts()
  const choices = choicesFor(columns, rows)
  const grouping = groupingIn(view.value)
  const [first = '', second = ''] = grouping.names
  const named = [...choices.columns, ...choices.times]
  const regroup = (names: readonly string[]) => setView({ group: names.filter(Boolean).join() || null, order: null })
  const chooseNumber = (number: string) => {
    const by = choices.levels.includes(number) ? 'mean' : 'sum'
    setView({ number: number || null, order: null, graph: number && `${number}__${by}` })
  }
  const nothing: Named = ['', t.none]
  return (
    <div class="row grouping">
      <Choice
        title={t.group}
        value={first}
        of={[nothing, ...named]}
        choose={(name) => regroup([name, name && second])}
      />
      {first !== '' && (
        <Choice
          title={t.second}
          value={second}
          of={[nothing, ...named.filter(([name]) => name !== first)]}
          choose={(name) => regroup([first, name])}
        />
      )}
      {first !== '' && (
        <Choice
          title={t.number}
          value={grouping.number ?? ''}
          of={[['', t.onlyCounts], ...choices.numbers]}
          choose={chooseNumber}
        />
      )}
      {periodIn(place) !== null && (
        <Choice
          title={t.compare}
          value={comparisonIn() ?? ''}
          of={[nothing, ...COMPARISONS.map((each): Named => [each, t.compares[each]])]}
          choose={(compare) => setView({ compare: compare || null })}
        />
      )}
    </div>
  )
}

interface ChoiceProps {
  readonly title: string
  readonly value: string
  readonly of: readonly Option[]
  readonly choose: (value: string) => void
}

/** A select with its title. */
export const Choice = ({ title, value, of, choose }: ChoiceProps) => (
  <label>
    <span>{title}</span>
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      <Options of={of} />
    </select>
  </label>
)
