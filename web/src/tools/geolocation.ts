/** The browser's Geolocation API as the tool `get_location` wants it. */
export type Position = {
  latitude: number;
  longitude: number;
  accuracy: number;
  timestamp: number;
};

export type GeolocationFault = "denied" | "unavailable" | "timeout" | "missing";

export class GeolocationError extends Error {
  constructor(readonly fault: GeolocationFault) {
    super(fault);
  }
}

const FAULTS: Record<number, GeolocationFault> = { 1: "denied", 2: "unavailable", 3: "timeout" };

/** Asks the browser, which asks the person unless it knows the answer already. */
export function locate(): Promise<Position> {
  if (!("geolocation" in navigator)) return Promise.reject(new GeolocationError("missing"));
  return new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords, timestamp }) =>
        resolve({
          latitude: coords.latitude,
          longitude: coords.longitude,
          accuracy: coords.accuracy,
          timestamp,
        }),
      ({ code }) => reject(new GeolocationError(FAULTS[code] ?? "unavailable")),
      { timeout: 20_000, maximumAge: 60_000 },
    );
  });
}
