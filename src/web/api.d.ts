// Written by test/openapi/types.node.test.ts.
export interface components {
    schemas: {
        /** @description An event, as a feature of GeoJSON. */
        readonly Feature: {
            readonly id: number;
            /** @constant */
            readonly type: "Feature";
            readonly geometry: components["schemas"]["Point"] | null;
            readonly properties: {
                readonly category: string;
                readonly value: string;
                /** Format: uri */
                readonly url: string;
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                readonly timestamp_start: number;
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                readonly timestamp_end: number;
                readonly event_series: number;
                readonly the_geom: components["schemas"]["Point"] | null;
                readonly object: components["schemas"]["ObjectReference"] | null;
            };
        };
        readonly EventV4: {
            readonly id: number;
            /** @constant */
            readonly type: "Feature";
            readonly geometry: components["schemas"]["Point"] | null;
            readonly properties: {
                readonly category: string;
                readonly value: string;
                /** Format: uri */
                readonly url: string;
                /** Format: date-time */
                readonly start: string;
                /** Format: date-time */
                readonly end: string;
                /** Format: date-time */
                readonly last_modified: string;
                readonly external_id: string | null;
                readonly object: components["schemas"]["ObjectReference"] | null;
                readonly attributes: {
                    readonly [key: string]: unknown;
                } | null;
            };
        };
        readonly EventWithSeriesV4: {
            readonly id: number;
            /** @constant */
            readonly type: "Feature";
            readonly geometry: components["schemas"]["Point"] | null;
            readonly properties: {
                readonly category: string;
                readonly value: string;
                /** Format: uri */
                readonly url: string;
                /** Format: date-time */
                readonly start: string;
                /** Format: date-time */
                readonly end: string;
                /** Format: uuid */
                readonly event_series: string;
                /** Format: date-time */
                readonly last_modified: string;
                readonly external_id: string | null;
                readonly object: components["schemas"]["ObjectReference"] | null;
                readonly attributes: {
                    readonly [key: string]: unknown;
                } | null;
            };
        };
        readonly EventV4Page: {
            /** @description The number of items that match, on all pages. */
            readonly count: number;
            /** Format: uri */
            readonly next: string | null;
            /** Format: uri */
            readonly previous: string | null;
            readonly results: readonly components["schemas"]["EventV4"][];
            readonly series?: readonly components["schemas"]["IncludedSeries"][];
        };
        readonly EventFeature: {
            /** @constant */
            readonly type: "Feature";
            readonly id: number;
            readonly geometry: components["schemas"]["Point"] | null;
            readonly properties: {
                readonly category: string;
                readonly value: string;
                /** Format: date-time */
                readonly timestamp_start: string;
                /** Format: date-time */
                readonly timestamp_end: string;
                /** Format: uuid */
                readonly event_series: string;
                readonly event_series_name: string;
                readonly object_type: string | null;
                readonly object_id: number | null;
                readonly external_id: string | null;
                /** Format: date-time */
                readonly last_modified: string;
                /** Format: uri */
                readonly url: string;
                readonly attributes: {
                    readonly [key: string]: unknown;
                } | null;
                /** @description The metres from the position of near. Absent without near. */
                readonly distance?: number;
            };
        };
        readonly EventSeriesV3: {
            /** Format: uri */
            readonly url: string;
            readonly name: string;
            readonly description: string;
            /** Format: uri */
            readonly observation_type: string;
            readonly statistic: string;
            readonly color: string;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            readonly first_value_timestamp: number | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            readonly last_value_timestamp: number | null;
            readonly spatial_bounds: components["schemas"]["Bounds"] | null;
        };
        readonly EventSeriesV4: {
            /** Format: uri */
            readonly url: string;
            /** Format: uuid */
            readonly uuid: string;
            readonly name: string;
            readonly description: string;
            /** Format: uri */
            readonly observation_type: string;
            readonly statistic: string;
            readonly color: string;
            /** Format: date-time */
            readonly start: string | null;
            /** Format: date-time */
            readonly end: string | null;
            /** @enum {string} */
            readonly access_modifier: "Public" | "Common" | "Private" | "Hidden";
            /** Format: date-time */
            readonly last_modified: string | null;
            /** Format: date-time */
            readonly created: string;
        };
        readonly ObservationType: {
            /** Format: uri */
            readonly url: string;
            readonly id: number;
            readonly code: string;
            readonly name: string;
            readonly unit: string | null;
        };
        readonly Summary: {
            readonly count: number;
            readonly time: {
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                readonly start: number | null;
                /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                readonly end: number | null;
                /** @description The length of a bin in milliseconds. Null if the bins differ in length. */
                readonly step: number | null;
                /** @description The bins that are not empty. */
                readonly bins: readonly components["schemas"]["SummaryBin"][];
            };
            readonly density: {
                readonly level: number | null;
                /** @description The cells that are not empty. */
                readonly cells: readonly components["schemas"]["SummaryCell"][];
            };
            readonly without_geometry: number;
            /** @description The counts of each requested facet. Absent if the request names none. */
            readonly facets?: {
                readonly category?: {
                    /** @description The entries with the most events, in descending order. Equal counts are in the order of their texts, or of their uuids. */
                    readonly entries: readonly {
                        readonly value: string;
                        readonly count: number;
                        /** @description The statistics of the numbers that the request names. Absent if it names none. */
                        readonly statistics?: {
                            readonly value?: components["schemas"]["SummaryStatistics"];
                        };
                    }[];
                    /** @description The number of further entries. */
                    readonly more: number;
                    /**
                     * Format: uri
                     * @description The address of the next entries. Only with `facet_size` or `facet_offset`.
                     */
                    readonly next?: string | null;
                };
                readonly event_series?: {
                    /** @description The entries with the most events, in descending order. Equal counts are in the order of their texts, or of their uuids. */
                    readonly entries: readonly {
                        readonly id: number;
                        /** Format: uuid */
                        readonly uuid: string;
                        readonly name: string;
                        readonly color: string;
                        readonly count: number;
                        /** @description The statistics of the numbers that the request names. Absent if it names none. */
                        readonly statistics?: {
                            readonly value?: components["schemas"]["SummaryStatistics"];
                        };
                    }[];
                    /** @description The number of further entries. */
                    readonly more: number;
                    /**
                     * Format: uri
                     * @description The address of the next entries. Only with `facet_size` or `facet_offset`.
                     */
                    readonly next?: string | null;
                };
                readonly object_type__model?: {
                    /** @description The entries with the most events, in descending order. Equal counts are in the order of their texts, or of their uuids. */
                    readonly entries: readonly {
                        readonly value: string;
                        readonly count: number;
                        /** @description The statistics of the numbers that the request names. Absent if it names none. */
                        readonly statistics?: {
                            readonly value?: components["schemas"]["SummaryStatistics"];
                        };
                    }[];
                    /** @description The number of further entries. */
                    readonly more: number;
                    /**
                     * Format: uri
                     * @description The address of the next entries. Only with `facet_size` or `facet_offset`.
                     */
                    readonly next?: string | null;
                };
            };
            /** @description The bins of the entries of one facet. Absent if the request names none. */
            readonly by?: {
                readonly category?: {
                    /** @description The 20 entries with the most events, in descending order. */
                    readonly entries: readonly {
                        readonly value: string;
                        readonly count: number;
                        readonly bins: readonly components["schemas"]["SummaryBin"][];
                        /** @description The statistics of the numbers that the request names. Absent if it names none. */
                        readonly statistics?: {
                            readonly value?: components["schemas"]["SummaryStatistics"];
                        };
                    }[];
                    /** @description The number of further entries. */
                    readonly more: number;
                    /** @description The events of no listed entry. */
                    readonly rest: {
                        readonly count: number;
                        readonly bins: readonly components["schemas"]["SummaryBin"][];
                    };
                };
                readonly event_series?: {
                    /** @description The 20 entries with the most events, in descending order. */
                    readonly entries: readonly {
                        readonly id: number;
                        /** Format: uuid */
                        readonly uuid: string;
                        readonly name: string;
                        readonly color: string;
                        readonly count: number;
                        readonly bins: readonly components["schemas"]["SummaryBin"][];
                        /** @description The statistics of the numbers that the request names. Absent if it names none. */
                        readonly statistics?: {
                            readonly value?: components["schemas"]["SummaryStatistics"];
                        };
                    }[];
                    /** @description The number of further entries. */
                    readonly more: number;
                    /** @description The events of no listed entry. */
                    readonly rest: {
                        readonly count: number;
                        readonly bins: readonly components["schemas"]["SummaryBin"][];
                    };
                };
                readonly object_type__model?: {
                    /** @description The 20 entries with the most events, in descending order. */
                    readonly entries: readonly {
                        readonly value: string;
                        readonly count: number;
                        readonly bins: readonly components["schemas"]["SummaryBin"][];
                        /** @description The statistics of the numbers that the request names. Absent if it names none. */
                        readonly statistics?: {
                            readonly value?: components["schemas"]["SummaryStatistics"];
                        };
                    }[];
                    /** @description The number of further entries. */
                    readonly more: number;
                    /** @description The events of no listed entry. */
                    readonly rest: {
                        readonly count: number;
                        readonly bins: readonly components["schemas"]["SummaryBin"][];
                    };
                };
            };
            /** @description The statistics of the numbers that the request names. Absent if it names none. */
            readonly statistics?: {
                readonly value?: {
                    /** @description The number of events whose value begins with a number. */
                    readonly count: number;
                    readonly min: number | null;
                    readonly max: number | null;
                    readonly mean: number | null;
                    /** @description The exact sum, rounded once. Null without numbers, or if it is beyond a double. */
                    readonly sum: number | null;
                    readonly bins: readonly {
                        /** @description Milliseconds since 1970-01-01T00:00:00Z. */
                        readonly start: number;
                        /** @description The number of events whose value begins with a number. */
                        readonly count: number;
                        readonly min: number | null;
                        readonly max: number | null;
                        readonly mean: number | null;
                        /** @description The exact sum, rounded once. Null without numbers, or if it is beyond a double. */
                        readonly sum: number | null;
                    }[];
                };
            };
        };
        readonly Point: {
            /** @constant */
            readonly type: "Point";
            /** @description Longitude and latitude in degrees, and z. */
            readonly coordinates: readonly number[];
        };
        /** @description The object that the event happened to. */
        readonly ObjectReference: {
            readonly type: string;
            readonly id: number;
        };
        readonly IncludedSeries: {
            readonly id: number;
            /** Format: uuid */
            readonly uuid: string;
            /** Format: uri */
            readonly url: string;
            readonly name: string;
            readonly description: string;
            /** Format: uri */
            readonly observation_type: string;
            readonly statistic: string;
            readonly color: string;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            readonly first_value_timestamp: number | null;
            /** @description Milliseconds since 1970-01-01T00:00:00Z. */
            readonly last_value_timestamp: number | null;
            readonly spatial_bounds: components["schemas"]["Bounds"] | null;
        };
        /** @description The smallest box around the points of the events, in degrees. */
        readonly Bounds: {
            readonly west: number;
            readonly east: number;
            readonly north: number;
            readonly south: number;
        };
        /** @description Where a bin starts, and how many events start in it. */
        readonly SummaryBin: readonly [
            number,
            number
        ];
        /** @description West, south, east and north in degrees, and how many events lie in the cell. */
        readonly SummaryCell: readonly [
            number,
            number,
            number,
            number,
            number
        ];
        readonly SummaryStatistics: {
            /** @description The number of events whose value begins with a number. */
            readonly count: number;
            readonly min: number | null;
            readonly max: number | null;
            readonly mean: number | null;
            /** @description The exact sum, rounded once. Null without numbers, or if it is beyond a double. */
            readonly sum: number | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Schemas = components["schemas"];
