using System.Globalization;
using System.Text.Json;
using Weir.Execution.Observation;
using Weir.Execution.Observation.Records;

namespace Weir.Jobs.Observation;

/// <summary>What this process knows of its jobs at one moment, without asking the store. Lists are cut, totals are not. Immutable.</summary>
internal sealed record JobsReading : IPartReading
{
    // A record is 64 KB at most.
    private const int MostKinds = 50;

    /// <summary>About how many jobs wait; <c>null</c> where the store has not counted lately.</summary>
    public long? Waiting { get; init; }

    /// <summary>How long the job that was submitted first, of those that are ready, has been due; <c>null</c> where none is, or that is not known.</summary>
    public TimeSpan? Oldest { get; init; }

    /// <summary>The kinds that have anything, in the order in which they are shown.</summary>
    public IReadOnlyList<KindRow> Kinds { get; init; } = [];

    public string Name => "jobs";

    public string Line
    {
        get
        {
            var paused = Kinds.Where(static kind => kind.IsPaused).Select(static kind => kind.Name).ToArray();
            string?[] parts =
            [
                Waiting is { } waiting ? Text($"waiting {waiting:#,0}{(Oldest is { } oldest ? $" (oldest {TextView.Time(oldest.TotalSeconds)})" : "")}") : null,
                Text($"running {Running:#,0}"),
                Text($"{Rate:0.##}/s"),
                Text($"failed {Failed:#,0} in the last minute"),
                paused.Length == 0 ? null : $"paused: {string.Join(", ", paused.Take(5))}{(paused.Length > 5 ? Text($" and {paused.Length - 5} more") : "")}",
            ];
            return $"JOBS  {string.Join(" · ", parts.Where(static part => part is not null))}";
        }
    }

    public PartTable Table => new(
        "KINDS", ["waiting", "running", "ended/s", "failed", "p50", "p99", "state"],
        [
            .. Kinds.Take(MostKinds).Select(static kind => new[]
            {
                kind.Name, kind.Waiting is { } waiting ? Text($"{waiting:#,0}") : "–", Text($"{kind.Running}"), Text($"{kind.Figures.Rate:0.##}"), Text($"{kind.Figures.Failed}"),
                TextView.Time(kind.Figures.P50), TextView.Time(kind.Figures.P99), kind.IsPaused ? "paused" : "",
            }),
        ]);

    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        WriteNumber(json, "waiting", Waiting);
        WriteSeconds(json, "oldest", Oldest?.TotalSeconds);
        json.WriteNumber("running", Running);
        WriteSeconds(json, "rate", Rate);
        json.WriteNumber("failed", Failed);
        json.WriteStartArray("paused");
        foreach (var kind in Kinds.Where(static kind => kind.IsPaused).Take(MostKinds))
        {
            json.WriteStringValue(kind.Name);
        }

        json.WriteEndArray();
        json.WriteNumber("kindCount", Kinds.Count);
        json.WriteStartObject("kinds");
        foreach (var kind in Kinds.Take(MostKinds))
        {
            json.WriteStartObject(kind.Name);
            WriteNumber(json, "waiting", kind.Waiting);
            json.WriteNumber("running", kind.Running);
            WriteSeconds(json, "rate", kind.Figures.Rate);
            json.WriteNumber("failed", kind.Figures.Failed);
            WriteSeconds(json, "p50", kind.Figures.P50);
            WriteSeconds(json, "p99", kind.Figures.P99);
            json.WriteBoolean("paused", kind.IsPaused);
            json.WriteEndObject();
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }

    private int Running => Kinds.Sum(static kind => kind.Running);

    private long Failed => Kinds.Sum(static kind => kind.Figures.Failed);

    private double Rate => Kinds.Sum(static kind => kind.Figures.Rate);

    private static void WriteNumber(Utf8JsonWriter json, string name, long? number)
    {
        if (number is { } value)
        {
            json.WriteNumber(name, value);
        }
    }

    private static void WriteSeconds(Utf8JsonWriter json, string name, double? value)
    {
        if (value is { } number)
        {
            json.WriteNumber(name, Math.Round(number, 6));
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
