namespace Showcase;

/// <summary>Where forecasts come from; injected into <see cref="Weather"/>, in the host and in its workers. Safe to use concurrently.</summary>
public interface IForecastSource
{
    /// <summary>Today's forecast for a city: the same one all day.</summary>
    Forecast Today(string city);

    /// <summary>The forecast for a day counted from today.</summary>
    Forecast After(int days);
}
