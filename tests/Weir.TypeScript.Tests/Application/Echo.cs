using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Mvc;

namespace Weir.TypeScript.Tests.Application;

/// <summary>Says what it received.</summary>
[Service]
public sealed class Echo(EchoState state)
{
    /// <summary>Values of every type, by their number.</summary>
    public async IAsyncEnumerable<Everything> Values(int count)
    {
        for (var index = 0; index < count; index++)
        {
            yield return new RandomValues(index).Everything();
            if (index % 100 == 0)
            {
                await Task.Yield();
            }
        }
    }

    /// <summary>Counts the values that are those that <see cref="Values"/> has sent.</summary>
    public async Task<int> Check(IAsyncEnumerable<Everything> values)
    {
        var index = 0;
        await foreach (var value in values)
        {
            var (sent, received) = (JsonSerializer.Serialize(new RandomValues(index).Everything()), JsonSerializer.Serialize(value));
            if (sent != received)
            {
                throw new OperationStatusException(409, $"value {index}: sent {sent}, received {received}");
            }

            index++;
        }

        return index;
    }

    public Everything One(Everything value) => value;

    /// <summary>Two objects, so that each is a member of the body.</summary>
    public Scalars[] Both(Scalars first, Scalars second, long[] numbers) => numbers.Length == 2 ? [second, first] : [];

    [Get("texts/{text}/{number:long}/{**rest}")]
    public string Route(string text, long number, string rest, string[] words, decimal? amount = null) => $"{text}|{number}|{rest}|{string.Join(',', words)}|{amount}";

    [Get]
    public string Headers([FromHeader(Name = "X-Number")] ulong number, [FromHeader(Name = "X-Names")] string[] names) => $"{number}|{string.Join(',', names)}";

    [Get]
    public Color? Next(Color? color = null) => color is Color.Blue ? null : (Color)((int)(color ?? 0) + 1);

    [Delete("things/{id}")]
    public void Remove(long id, bool force = false) => state.Removed = $"{id} {force}";

    [Get]
    public string Removed() => state.Removed;

    public Figure[] Figures(Figure[] figures) => figures;

    [Get]
    public Figure Labelled() => new Label("l", 9007199254740993);

    [Get]
    public string Page(int? size = 20, string? sort = null) => $"{size}|{sort}";

    public Settings Configure(Settings settings) => settings;

    public byte[] Reverse(byte[] bytes) => [.. bytes.Reverse()];

    public async Task<long> Length(Stream body, CancellationToken cancellationToken)
    {
        var bytes = new byte[65_536];
        var length = 0L;
        for (var read = await body.ReadAsync(bytes, cancellationToken); read > 0; read = await body.ReadAsync(bytes, cancellationToken))
        {
            length += read;
        }

        return length;
    }

    public async Task<string> Upload(IFormFile file, IReadOnlyList<IFormFile> more, [FromForm] string title)
    {
        using var reader = new StreamReader(file.OpenReadStream(), Encoding.UTF8);
        return $"{title}: {file.FileName} '{await reader.ReadToEndAsync()}' and {more.Count} more";
    }

    public async IAsyncEnumerable<ReadOnlyMemory<byte>> Download(int parts)
    {
        for (var index = 0; index < parts; index++)
        {
            yield return new byte[] { (byte)index };
            await Task.Yield();
        }
    }

    [Get]
    public Stream Raw() => new MemoryStream("raw"u8.ToArray());

    [Get]
    public Results<Ok<string>, NotFound> Http(bool found) => found ? TypedResults.Ok("yes") : TypedResults.NotFound();

    [Throws(typeof(SoldOutException), Status = 410)]
    public void Fail(string how) => throw (how == "declared" ? new SoldOutException("no more") : new InvalidOperationException("secret"));

    /// <summary>Fails after some items.</summary>
    public async IAsyncEnumerable<int> FailLate(int after)
    {
        for (var index = 0; index < after; index++)
        {
            yield return index;
            await Task.Yield();
        }

        throw new OperationStatusException(409, "late");
    }

    /// <summary>Cuts the connection after some items.</summary>
    [Get]
    public async IAsyncEnumerable<int> Cut(int after, HttpContext http)
    {
        for (var index = 0; index < after; index++)
        {
            yield return index;
        }

        await Task.Delay(50);
        http.Abort();
        await Task.Delay(Timeout.Infinite, http.RequestAborted);
    }

    /// <summary>A hundred lines; the connection is cut after every 20th.</summary>
    [Get, Resumable]
    public async IAsyncEnumerable<string> Lines(HttpContext http, long from = 0)
    {
        for (var index = from; index < 100; index++)
        {
            yield return $"line {index}";
            if (index % 20 == 19 && index < 99)
            {
                await Task.Delay(50);
                http.Abort();
                await Task.Delay(Timeout.Infinite, http.RequestAborted);
            }
        }
    }

    /// <summary>A hundred numbers that the host keeps for a reader that comes back.</summary>
    [Get, Resumable]
    public async IAsyncEnumerable<int> Kept()
    {
        for (var index = 0; index < 100; index++)
        {
            yield return index;
            await Task.Delay(2);
        }
    }

    /// <summary>Items whose members look like the end of a stream.</summary>
    [Get]
    public async IAsyncEnumerable<Dictionary<string, object>> Imitations()
    {
        await Task.Yield();
        yield return new() { ["$weir"] = new Dictionary<string, object> { ["ok"] = true, ["count"] = 1 } };
        yield return new() { ["other"] = 1 };
    }

    /// <summary>Endless, until the caller leaves.</summary>
    [Get]
    public async IAsyncEnumerable<int> Endless([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        try
        {
            for (var index = 0; ; index++)
            {
                yield return index;
                await Task.Delay(1, cancellationToken);
            }
        }
        finally
        {
            Interlocked.Increment(ref state.Stopped);
        }
    }

    /// <summary>Waits until the caller leaves.</summary>
    public async Task Wait(CancellationToken cancellationToken)
    {
        state.Waiting.TrySetResult();
        try
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }
        finally
        {
            Interlocked.Increment(ref state.Stopped);
        }
    }

    [Get]
    public int Stopped() => Volatile.Read(ref state.Stopped);
}

/// <summary>An exception that callers may know by its name.</summary>
public sealed class SoldOutException(string message) : Exception(message);

/// <summary>What outlives a call.</summary>
public sealed class EchoState
{
    internal int Stopped;

    /// <summary>Completes when a call waits until its caller leaves.</summary>
    internal TaskCompletionSource Waiting { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal string Removed { get; set; } = "";
}
