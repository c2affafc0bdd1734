using System.Globalization;

namespace Weir;

/// <summary>What an operation sees of the job it runs as: <see cref="OperationContext.Job"/>. May be used concurrently.</summary>
public sealed class JobContext
{
    // Text items of the call's context: what a worker gets of it.
    private const string Prefix = "weir.job.";

    private const int MostText = 200;

    private readonly Action<JobProgress>? _report;

    /// <summary>The context of one attempt; made by the code that runs the job.</summary>
    /// <param name="id">The job.</param>
    /// <param name="attempt">How often it was started.</param>
    /// <param name="fence">The number of this start.</param>
    /// <param name="report">Takes its progress; with <c>null</c> it is dropped.</param>
    public JobContext(Guid id, int attempt, long fence, Action<JobProgress>? report = null)
    {
        Id = id;
        Attempt = attempt;
        Fence = fence;
        _report = report;
    }

    /// <summary>The job.</summary>
    public Guid Id { get; }

    /// <summary>How often it was started, this time included.</summary>
    public int Attempt { get; }

    /// <summary>A number that grows with each start of the job: for conditional writes of your own, so that a start that was presumed to be lost does not overwrite a later one.</summary>
    public long Fence { get; }

    /// <summary>When it was due: of a job of a schedule the occurrence, however late it is, and also in a later attempt.</summary>
    public DateTimeOffset ScheduledFor { get; init; }

    /// <summary>By what it takes turns; <c>null</c> for none.</summary>
    public string? Key { get; init; }

    /// <summary>For whom it was submitted: <see cref="JobOptions.Owner"/>; <c>null</c> for the application itself.</summary>
    public string? Submitter { get; init; }

    /// <summary>
    /// Tells those who watch the job how far it is: at once in the host's process, and stored once a second. Never waits. A worker sends the first report at once and then at most ten a second, the latest each time;
    /// what it sends together with the end of its call may be dropped.
    /// </summary>
    /// <param name="fraction">0 to 1; what is outside is 0 or 1.</param>
    /// <param name="text">What it does; of more than 200 characters the first 200 are kept. <c>null</c> for nothing.</param>
    public void Report(double fraction, string? text = null) =>
        _report?.Invoke(new JobProgress(double.IsNaN(fraction) ? 0 : Math.Clamp(fraction, 0, 1), text is { Length: > MostText } ? Cut(text) : text));

    // No half of a surrogate pair.
    private static string Cut(string text) => text[..(char.IsHighSurrogate(text[MostText - 1]) ? MostText - 1 : MostText)];

    /// <summary>Adds it to the items of a context, from where a worker reads it.</summary>
    internal void WriteTo(IDictionary<object, object?> items)
    {
        items[Prefix + "id"] = Id.ToString();
        items[Prefix + "attempt"] = Attempt.ToString(CultureInfo.InvariantCulture);
        items[Prefix + "fence"] = Fence.ToString(CultureInfo.InvariantCulture);
        items[Prefix + "due"] = ScheduledFor.ToString("O", CultureInfo.InvariantCulture);
        if (Key is not null)
        {
            items[Prefix + "key"] = Key;
        }

        if (Submitter is not null)
        {
            items[Prefix + "submitter"] = Submitter;
        }
    }

    /// <summary>What a context's items say; <c>null</c> where they are of no job.</summary>
    internal static JobContext? ReadFrom(IDictionary<object, object?> items, Action<JobProgress>? report)
    {
        return Guid.TryParse(Text("id"), out var id)
            && int.TryParse(Text("attempt"), NumberStyles.None, CultureInfo.InvariantCulture, out var attempt)
            && long.TryParse(Text("fence"), NumberStyles.None, CultureInfo.InvariantCulture, out var fence)
            && DateTimeOffset.TryParseExact(Text("due"), "O", CultureInfo.InvariantCulture, DateTimeStyles.None, out var due)
                ? new JobContext(id, attempt, fence, report) { ScheduledFor = due, Key = Text("key"), Submitter = Text("submitter") }
                : null;

        string? Text(string name) => items.TryGetValue(Prefix + name, out var value) ? value as string : null;
    }
}
