import { refiltered } from '../state/address.ts'
import { faults, go } from '../state/store.ts'
import { Facets } from './facets.tsx'
import { FilterForm } from './form.tsx'
import type { PartProps } from './listContext.ts'

interface FiltersProps extends PartProps {
  /** Shows the filters, because a field has a fault. */
  readonly onFault: () => void
}

/** The facets and the form of a list. */
export const Filters = ({ place, about, known, onFault }: FiltersProps) => (
  <>
    {known.listed?.path === place.path && (
      <Facets {...{ place, go }} summary={known.summary} series={known.series} isFailed={known.isUncounted} />
    )}
    <FilterForm
      {...{ about, place, faults: faults.value, series: known.series, onFault }}
      onFilters={(filters) => go(refiltered(place, filters))}
    />
  </>
)
