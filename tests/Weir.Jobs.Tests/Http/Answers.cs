using System.ComponentModel.DataAnnotations;
using System.Runtime.CompilerServices;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Http;

/// <summary>Every way in which an operation answers, as a call and as a job.</summary>
[Service]
public sealed class Answers(Board board)
{
    [Job]
    public Report Value(string tenant, [Range(1, 9999)] int year)
    {
        board.Add($"value {tenant} {year}");
        return new Report(tenant, year, "answers");
    }

    [Job]
    public string Text(string text) => text;

    [Job]
    public string? NoText() => null;

    [Job]
    public Report? NoValue() => null;

    [Job]
    public byte[] Bytes(int count) => [.. Enumerable.Range(0, count).Select(static index => (byte)index)];

    [Job]
    public void Nothing(string text) => board.Add($"nothing {text}");

    [Job, Get, Post]
    public int Length(string text)
    {
        board.Add($"length {text}");
        return text.Length;
    }

    [Job]
    public string Chosen(string text, OperationContext context)
    {
        context.StatusCode = 201;
        context.Headers["X-Answer"] = text;
        context.Headers["Content-Language"] = "de";
        return text;
    }

    [Job]
    public string Cached(OperationContext context)
    {
        context.Headers["Cache-Control"] = "public, max-age=600";
        context.Headers["Set-Cookie"] = "session=ann";
        context.Headers["X-Answer"] = "cached";
        return "cached";
    }

    [Job]
    public string Mislabelled(OperationContext context)
    {
        context.StatusCode = 42;
        return "mislabelled";
    }

    [Job]
    public void ChosenNothing(OperationContext context)
    {
        context.StatusCode = 205;
        context.Headers["X-Answer"] = "nothing";
    }

    [Job, Throws(typeof(NotReadyException), Status = 409)]
    public string Declared(string why) => throw new NotReadyException(why);

    [Job, Throws(typeof(NotReadyException))]
    public string Named(string why) => throw new NotReadyException(why);

    [Job]
    public string Fails() => throw new InvalidOperationException("A secret of the operation.");

    [Job]
    public string Refuses(string content) => throw new OperationStatusException(422, content, new Dictionary<string, string> { ["X-Refused"] = "yes", ["Content-Type"] = "text/csv" });

    [Job]
    public string Moved() => throw new OperationStatusException(303, headers: new Dictionary<string, string> { ["Location"] = "/elsewhere" });

    [Job]
    public string Unbound() => throw new BindingException([new BindingError("text", "body", BindingErrorReason.Validation, "in the morning"), new BindingError("other", "query", BindingErrorReason.Missing, "a number")]);

    [Job(Timeout = "00:00:00.050")]
    public Task<string> TooLate(CancellationToken ct) => Never(ct);

    [Job(Timeout = null)]
    public async Task<string> Gated(string gate, CancellationToken ct)
    {
        board.Add($"gated {gate}");
        await board.Gate(gate).WaitAsync(ct);
        return gate;
    }

    /// <summary>Does not listen to its token.</summary>
    [Job]
    public async Task<string> Deaf(string gate)
    {
        board.Add($"deaf {gate}");
        await board.Gate(gate);
        return gate;
    }

    /// <summary>Works in small steps; every second job listens to its token.</summary>
    [Job]
    public async Task<int> Work(int steps, OperationContext context, CancellationToken ct)
    {
        var id = context.Job!.Id;
        board.Inside[id] = 0;
        try
        {
            for (var step = 0; step < steps; step++)
            {
                await Task.Delay(1, steps % 2 == 0 ? ct : CancellationToken.None);
            }

            return steps;
        }
        finally
        {
            board.Inside.TryRemove(id, out _);
        }
    }

    /// <summary>Waits for a gate before each item from one on.</summary>
    [Job, Idempotent, Resumable]
    public async IAsyncEnumerable<Report> Pages(int count, string gate = "", int gatedFrom = int.MaxValue, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        board.Add($"pages {gate} from {from}");
        for (var index = (int)from; index < count; index++)
        {
            if (index >= gatedFrom)
            {
                await board.Gate($"{gate} {index}").WaitAsync(ct);
            }

            await Task.Yield();
            yield return new Report("page", index, gate);
        }
    }

    /// <summary>Its items would rather be sent together; a gate is before each from the second on.</summary>
    [Job, Stream(Flush = FlushPolicy.Bulk)]
    public async IAsyncEnumerable<int> Together(string gate, [EnumeratorCancellation] CancellationToken ct = default)
    {
        yield return 0;
        await board.Gate(gate).WaitAsync(ct);
        yield return 1;
    }

    [Job]
    public string? Submitter(OperationContext context) => context.Job!.Submitter;

    [Job]
    public async IAsyncEnumerable<byte[]> Chunks(int count, OperationContext context)
    {
        context.Headers["X-Answer"] = "chunks";
        for (var index = 0; index < count; index++)
        {
            await Task.Yield();
            yield return [(byte)index, (byte)'\n'];
        }
    }

    [Job]
    public async IAsyncEnumerable<byte[]> GatedChunks(int count, string gate, int gatedFrom, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var index = 0; index < count; index++)
        {
            if (index >= gatedFrom)
            {
                await board.Gate($"{gate} {index}").WaitAsync(ct);
            }

            await Task.Yield();
            yield return [(byte)'x', (byte)'\n'];
        }
    }

    [Job, Throws(typeof(NotReadyException), Status = 409)]
    public async IAsyncEnumerable<int> FailsAfter(int count, string why)
    {
        for (var index = 0; index < count; index++)
        {
            await Task.Yield();
            yield return index;
        }

        throw new NotReadyException(why);
    }

    [Job]
    public async IAsyncEnumerable<int> RefusesStream(int count)
    {
        for (var index = 0; index < count; index++)
        {
            await Task.Yield();
            yield return index;
        }

        throw new OperationStatusException(422, "refused", new Dictionary<string, string> { ["X-Refused"] = "stream" });
    }

    [Job]
    public int Fragile(string name) => board.Count(name) == 1 ? throw new InvalidOperationException("the first") : 2;

    /// <summary>The first run fails after two items; the second has others.</summary>
    [Job]
    public async IAsyncEnumerable<string> Drafts(string name)
    {
        var run = board.Count(name);
        yield return $"{run} a";
        yield return $"{run} b";
        await Task.Yield();
        if (run == 1)
        {
            throw new InvalidOperationException("the first draft");
        }
    }

    private static async Task<string> Never(CancellationToken ct)
    {
        await Task.Delay(Timeout.Infinite, ct);
        return "";
    }
}
