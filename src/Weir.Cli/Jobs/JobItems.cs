using System.Globalization;
using System.Text.Json;
using Weir.Cli.Answers;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>Reads the items of a job from the first to the last, across connections that are cut and hosts that are replaced. None is printed twice, and none is left out.</summary>
/// <param name="session">Sends the requests.</param>
/// <param name="id">The job.</param>
/// <param name="most">The most bytes of an item.</param>
/// <param name="progress">Shows what hinders it.</param>
/// <param name="console">Its clock.</param>
internal sealed class JobItems(JobsSession session, Guid id, int most, JobProgress progress, CommandConsole console)
{
    private const string Lines = "application/x-ndjson; weir=1";

    // A connection that lasted so long was no failure, though no item came.
    private static readonly TimeSpan Lasting = TimeSpan.FromSeconds(5);

    private readonly Patience _patience = new(console.Time);

    // The header by which the server finds the next item; what it names changes when the job is run again by hand.
    private string? _name;
    private long _count;

    /// <summary>Reads them to their end.</summary>
    /// <param name="output">Prints each.</param>
    /// <param name="mayContinue">Whether the job continues after a problem, which is then no end.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    public async Task<ItemsEnd> ReadAsync(ItemsOutput output, Func<Task<bool>> mayContinue, CancellationToken cancellationToken)
    {
        while (true)
        {
            var (began, count) = (console.Time.GetTimestamp(), _count);
            var (end, hindrance, pause) = await ReadOnceAsync(output, mayContinue, cancellationToken);
            if (end is not null)
            {
                return end;
            }

            if (_count > count || console.Time.GetElapsedTime(began) >= Lasting)
            {
                _patience.Renew();
            }

            if (_name is null && _count > 0)
            {
                return ItemsEnd.Broken($"{hindrance}, and the answer had no header Weir-Stream, by which they would continue");
            }

            progress.Hinder(string.Create(CultureInfo.InvariantCulture, $"{hindrance} before item {_count}"));
            if (!await _patience.WaitAsync(pause, cancellationToken))
            {
                return ItemsEnd.Broken(string.Create(CultureInfo.InvariantCulture, $"{hindrance} before item {_count}, and the server did not continue them within a minute"));
            }
        }
    }

    private async Task<(ItemsEnd? End, string Hindrance, TimeSpan? Pause)> ReadOnceAsync(ItemsOutput output, Func<Task<bool>> mayContinue, CancellationToken cancellationToken)
    {
        // 1. Ask for what follows the last item.
        HttpResponseMessage response;
        try
        {
            response = await session.OpenAsync($"/{id:D}/items", Lines, _name is null ? null : string.Create(CultureInfo.InvariantCulture, $"{_name}.{_count - 1}"), cancellationToken);
        }
        catch (JobsException failure)
        {
            return (null, failure.Message.TrimEnd('.'), null);
        }

        using (response)
        {
            // 2. Is it a stream, and the same one?
            var status = (int)response.StatusCode;
            if (!response.IsSuccessStatusCode)
            {
                return JobsAnswer.MayPass(status)
                    ? (null, string.Create(CultureInfo.InvariantCulture, $"the server answered {status}"), response.Headers.RetryAfter?.Delta)
                    : (ItemsEnd.Refused(status, await ProblemAsync(response, cancellationToken)), "", null);
            }

            if (status == 204)
            {
                // The operation returned no stream.
                return (ItemsEnd.Complete, "", null);
            }

            if (!StreamLines.IsProved(response.Content.Headers.ContentType) || response.Content.Headers.ContentEncoding.Count > 0)
            {
                return (ItemsEnd.Broken($"the answer is {response.Content.Headers.ContentType?.ToString() ?? "of no type"}, which cannot prove that the items are complete"), "", null);
            }

            var name = response.Headers.TryGetValues("Weir-Stream", out var names) ? names.First() : null;
            if (_count > 0 && name is not null && name != _name)
            {
                return (ItemsEnd.Broken("the job was run again, and its items begin again; read them once more"), "", null);
            }

            // 3. Read its lines. Only the last one proves that they are complete.
            _name = name ?? _name;
            return await ReadLinesAsync(response, output, mayContinue, cancellationToken);
        }
    }

    private async Task<(ItemsEnd? End, string Hindrance, TimeSpan? Pause)> ReadLinesAsync(HttpResponseMessage response, ItemsOutput output, Func<Task<bool>> mayContinue, CancellationToken cancellationToken)
    {
        await using var lines = StreamLines.ReadAsync(await response.Content.ReadAsStreamAsync(cancellationToken), most, cancellationToken).GetAsyncEnumerator(cancellationToken);
        while (true)
        {
            StreamLine line;
            try
            {
                if (!await lines.MoveNextAsync())
                {
                    return (null, "the items were cut", null);
                }

                line = StreamLine.Parse(lines.Current);
            }
            catch (Exception failure) when (failure is HttpRequestException or IOException)
            {
                cancellationToken.ThrowIfCancellationRequested();
                return (null, $"the items were cut ({failure.Message.TrimEnd('.')})", null);
            }
            catch (JsonException wrong)
            {
                return (ItemsEnd.Broken(string.Create(CultureInfo.InvariantCulture, $"the line of item {_count} cannot be read: {wrong.Message}")), "", null);
            }

            switch (line.Kind)
            {
                case StreamLineKind.Item:
                    await output.AddAsync(line.Json, cancellationToken);
                    _count++;
                    break;
                case StreamLineKind.End when line.Number == _count:
                    await output.EndAsync();
                    return (ItemsEnd.Complete, "", null);
                case StreamLineKind.End:
                    return (ItemsEnd.Broken(string.Create(CultureInfo.InvariantCulture, $"the server sent {line.Number} items, and {_count} arrived")), "", null);
                case StreamLineKind.Retry:
                    return (null, "the server is stopping", TimeSpan.FromMilliseconds(Math.Clamp(line.Number, 0, 60_000)));
                default:
                    var problem = line.Json.ToArray();
                    return await mayContinue() ? (null, "the items ended with a problem while the job continues", null) : (ItemsEnd.Refused(ProblemText.StatusOf(problem), problem), "", null);
            }
        }
    }

    private static async Task<ReadOnlyMemory<byte>> ProblemAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        try
        {
            return await ResponseBytes.ReadAsync(response.Content, ProblemText.MostBytes, cancellationToken) ?? default;
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return default;
        }
    }
}
