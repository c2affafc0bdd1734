using System.Text.Json;
using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>The commands of <c>weir jobs</c> that change something.</summary>
internal sealed class JobsChange(JobsSession session, bool isJson, CommandConsole console)
{
    private readonly AnswerPrinter _printer = new(isJson, AnswerPrinter.DefaultMostBytes, console);

    /// <summary><c>weir jobs cancel</c>.</summary>
    public async Task<int> CancelAsync(Guid id, CancellationToken cancellationToken)
    {
        var answer = await session.SendAsync(HttpMethod.Post, $"/{id:D}/cancel", cancellationToken);
        return await PrintAsync(answer, "MapWeirJobs", () => answer.Job() switch
        {
            { HasEnded: false } => $"{id:D} is being cancelled; its operation still runs.",
            { State: "cancelled" } => $"{id:D} is cancelled.",
            var job => $"{id:D} had ended before: {job.StateText}.",
        });
    }

    /// <summary><c>weir jobs retry</c>.</summary>
    /// <param name="id">The job.</param>
    /// <param name="file">What has its new arguments; <c>-</c> for standard input; <c>null</c> to keep them.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="InputException">The file cannot be read, or has no JSON object.</exception>
    public async Task<int> RetryAsync(Guid id, string? file, CancellationToken cancellationToken)
    {
        if (file is not null)
        {
            var edited = await session.SendAsync(HttpMethod.Put, $"/{id:D}/arguments", cancellationToken, json: await ReadAsync(file, cancellationToken));
            if (!edited.IsSuccess)
            {
                return await session.RefuseAsync(edited, "MapWeirJobsAdmin", _printer);
            }
        }

        var answer = await session.SendAsync(HttpMethod.Post, $"/{id:D}/retry", cancellationToken);
        return await PrintAsync(answer, "MapWeirJobsAdmin", () => answer.Job() is var job && job.Id == id ? $"{id:D} runs again: {job.Line}." : $"{id:D} had succeeded; {job.Id:D} is a new job with its arguments: {job.Line}.");
    }

    /// <summary><c>weir jobs pause</c> and <c>weir jobs resume</c>.</summary>
    /// <param name="kind">The kind.</param>
    /// <param name="action">What is done.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="InputException">It is the name of no kind.</exception>
    public async Task<int> KindAsync(string kind, string action, CancellationToken cancellationToken)
    {
        var answer = await session.SendAsync(HttpMethod.Post, $"/kinds/{Escaped("KIND", kind)}/{action}", cancellationToken);
        return await PrintAsync(answer, "MapWeirJobsAdmin", () =>
        {
            var json = JsonMembers.Parse(answer.Text) ?? default;
            var running = JsonMembers.Number(json, "running");
            return $"{JsonMembers.Text(json, "name") ?? kind} {(JsonMembers.IsTrue(json, "isPaused") ? "is paused: no job of it is started" : "is not paused")}{(running > 0 ? $"; {running} running" : "")}.";
        });
    }

    /// <summary><c>weir jobs schedules pause</c>, <c>resume</c> and <c>run</c>.</summary>
    /// <param name="name">The schedule.</param>
    /// <param name="action">What is done.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="InputException">It is the name of no schedule.</exception>
    public async Task<int> ScheduleAsync(string name, string action, CancellationToken cancellationToken)
    {
        var answer = await session.SendAsync(HttpMethod.Post, $"/schedules/{Escaped("NAME", name)}/{action}", cancellationToken);
        return await PrintAsync(answer, "MapWeirJobsAdmin", () =>
        {
            if (action == "run")
            {
                return $"{answer.Job().Id:D} was submitted.";
            }

            var json = JsonMembers.Parse(answer.Text) ?? default;
            var next = JsonMembers.Text(json, "next");
            return $"{JsonMembers.Text(json, "name") ?? name} {(JsonMembers.IsTrue(json, "isPaused") ? "is paused" : "is not paused")}{(next is null ? "" : $"; next at {JobView.Time(next)}")}.";
        });
    }

    /// <summary><c>weir jobs purge</c>.</summary>
    public async Task<int> PurgeAsync(Guid id, CancellationToken cancellationToken) =>
        await PrintAsync(await session.SendAsync(HttpMethod.Delete, $"/{id:D}", cancellationToken), "MapWeirJobsAdmin", () => $"{id:D} is deleted.");

    // Each part of a name with slashes by itself: a part of dots would lead elsewhere.
    private static string Escaped(string argument, string name) => name.Split('/') is var parts && parts.Any(static part => part is "" or "." or "..")
        ? throw new InputException($"{argument} is '{SafeText.Cut(name, 200)}'; no part between slashes may be empty, '.' or '..'.")
        : string.Join('/', parts.Select(Uri.EscapeDataString));

    private async Task<int> PrintAsync(JobsAnswer answer, string map, Func<string> words)
    {
        if (!answer.IsSuccess)
        {
            return await session.RefuseAsync(answer, map, _printer);
        }

        if (isJson)
        {
            return answer.Text.IsEmpty ? ExitCodes.Success : await _printer.PrintJsonAsync("answer", answer.Text);
        }

        await console.Out.WriteLineAsync(SafeText.Of(words(), keepsLines: false));
        return ExitCodes.Success;
    }

    private async Task<byte[]> ReadAsync(string file, CancellationToken cancellationToken)
    {
        byte[] text;
        try
        {
            await using Stream stream = file == "-" ? new InterruptibleStream(console.Input) : File.OpenRead(console.PathOf(file));

            // Bounded by the file that was given.
            using var buffer = new MemoryStream();
            await stream.CopyToAsync(buffer, cancellationToken);
            text = buffer.ToArray();
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"--edit '{file}' cannot be read: {failure.Message}", failure);
        }

        text = text.AsSpan().StartsWith("\uFEFF"u8) ? text[3..] : text;
        return JsonMembers.Parse(text) is { ValueKind: JsonValueKind.Object } ? text : throw new InputException($"--edit '{file}' has no JSON object; 'weir jobs show URL ID --arguments' prints that of a job.");
    }
}
