import { refiltered } from '../state/address.ts'
import { faults, go } from '../state/store.ts'
import { Facets } from './facets.tsx'
import { FilterForm } from './form.tsx'
import type { PartProps } from './listContext.ts'

/** The facets and the form of a list. */
export const Filters = ({ place, about, known }: PartProps) => (
  <>
    {known.listed?.path === place.path && (
      <Facets {...{ place, go }} summary={known.summary} series={known.series} isFailed={known.isUncounted} />
    )}
    <FilterForm
      {...{ about, place, faults: faults.value, series: known.series }}
      onFilters={(filters) => go(refiltered(place, filters))}
    />
  </>
)
