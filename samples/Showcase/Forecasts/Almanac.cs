namespace Showcase;

/// <summary>Forecasts by season and chance, as good as any almanac's.</summary>
public sealed class Almanac(TimeProvider time) : IForecastSource
{
    // The calendar of DateOnly ends in the year 9999; longer streams start over.
    private const int MostDays = 1_000_000;

    private static readonly string[] Summaries = ["freezing", "bracing", "chilly", "cool", "mild", "warm", "balmy", "hot", "sweltering", "scorching"];

    public Forecast Today(string city)
    {
        var today = DateOnly.FromDateTime(time.GetLocalNow().Date);
        var chance = (uint)today.DayNumber;
        foreach (var letter in city)
        {
            chance = (chance * 31) + char.ToUpperInvariant(letter);
        }

        return Make(today, (int)(chance % 17) - 8);
    }

    public Forecast After(int days) =>
        Make(DateOnly.FromDateTime(time.GetLocalNow().Date).AddDays(days % MostDays), Random.Shared.Next(-8, 9));

    private static Forecast Make(DateOnly date, int chance)
    {
        var season = -Math.Cos(date.DayOfYear / 365.25 * 2 * Math.PI);
        var temperature = 12 + (int)(13 * season) + chance;
        return new(date, temperature, Summaries[Math.Clamp((temperature + 10) / 5, 0, Summaries.Length - 1)]);
    }
}
