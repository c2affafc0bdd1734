using Weir.Jobs.Schedules;

namespace Weir.Jobs.Tests.Schedules;

/// <summary>Schedules of all sorts, from a seeded source.</summary>
internal static class RandomSchedules
{
    private static readonly string[] Zones = ["UTC", "Europe/Berlin", "Africa/Cairo", "Australia/Lord_Howe", "Europe/Dublin", "Africa/Casablanca", "America/St_Johns", "Pacific/Apia"];

    public static CronSchedule Next(Random random)
    {
        var fields = string.Join(' ', Field(random, 0, 59), Field(random, 0, 23), random.Next(4) == 0 ? Field(random, 1, 31) : "*", random.Next(4) == 0 ? Field(random, 1, 12) : "*", random.Next(4) == 0 ? Field(random, 0, 6) : "*");
        return CronSchedule.Parse("random", random.Next(4) == 0 ? $"{Field(random, 0, 59)} {fields}" : fields, Zones[random.Next(Zones.Length)]);
    }

    private static string Field(Random random, int least, int most)
    {
        var (one, other) = (random.Next(least, most + 1), random.Next(least, most + 1));
        return random.Next(6) switch
        {
            0 => "*",
            1 => $"*/{random.Next(1, (most / 2) + 1)}",
            2 => $"{one},{other}",
            3 => $"{Math.Min(one, other)}-{Math.Max(one, other)}",
            4 => "H",
            _ => $"{one}",
        };
    }
}
