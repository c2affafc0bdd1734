using System.Net.ServerSentEvents;

namespace Weir.Lab.Load;

/// <summary>Reads the items of a job over HTTP, is cut again and again, and continues behind the last item that it has received: what it has missed, and what came twice.</summary>
/// <param name="client">Must not read on when a response is abandoned.</param>
/// <param name="index">Finds the index of an item in what it contains.</param>
internal sealed class CutReader(HttpClient client, Func<string, long> index)
{
    private const string End = "end";
    private const string Problem = "problem";

    // Null before the first item.
    private string? _last;

    /// <summary>The index of the next item.</summary>
    public long Next { get; private set; }

    /// <summary>Items received.</summary>
    public long Items { get; private set; }

    /// <summary>Items missed.</summary>
    public long Gaps { get; private set; }

    /// <summary>Items that were received before.</summary>
    public long Repeats { get; private set; }

    /// <summary>How often it was cut.</summary>
    public int Cuts { get; private set; }

    /// <summary>Whether it has received the end of the stream.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>Reads until the end of the stream, or until it is cut, or its server is killed.</summary>
    /// <param name="items">The address of the items.</param>
    /// <param name="isEnough">Called with each item: whether the connection is cut now.</param>
    /// <param name="cancellation">Ends it.</param>
    /// <exception cref="InvalidDataException">The stream has failed.</exception>
    /// <exception cref="HttpRequestException">The server is not there, or does not send the items.</exception>
    /// <exception cref="IOException">The server has gone.</exception>
    public async Task ReadAsync(Uri items, Func<string, bool> isEnough, CancellationToken cancellation)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, items);
        request.Headers.Accept.ParseAdd("text/event-stream");
        if (_last is not null)
            request.Headers.TryAddWithoutValidation("Last-Event-ID", _last);
        using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellation);
        response.EnsureSuccessStatusCode();
        await using var body = await response.Content.ReadAsStreamAsync(cancellation);
        await foreach (var one in SseParser.Create(body).EnumerateAsync(cancellation))
        {
            if (one.EventType == Problem)
                throw new InvalidDataException($"The stream has failed after {Items} items: {one.Data}");

            if (one.EventType == End)
            {
                IsComplete = true;
                return;
            }

            _last = one.EventId;
            Take(index(one.Data));
            if (isEnough(one.Data))
            {
                Cuts++;
                return;
            }
        }
    }

    private void Take(long received)
    {
        Items++;
        if (received < Next)
        {
            Repeats++;
            return;
        }

        Gaps += received - Next;
        Next = received + 1;
    }
}
