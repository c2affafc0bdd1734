using System.Collections.Concurrent;
using System.Net;

namespace Weir.Http.Tests;

/// <summary>Answers requests in memory, each when the test says so.</summary>
internal sealed class ScriptedServer : HttpMessageHandler
{
    private readonly ConcurrentDictionary<string, TaskCompletionSource<HttpResponseMessage>> _answers = new();
    private readonly ConcurrentDictionary<string, Func<HttpResponseMessage>> _inTurn = new();
    private readonly SemaphoreSlim _arrived = new(0);
    private int _inFlight;
    private int _most;

    /// <summary>The paths of the requests, in the order in which they arrived.</summary>
    public ConcurrentQueue<string> Arrived { get; } = new();

    /// <summary>The most requests that were in flight at the same time.</summary>
    public int MostInFlight => Volatile.Read(ref _most);

    /// <summary>Requests that were cancelled.</summary>
    public ConcurrentQueue<string> Cancelled { get; } = new();

    /// <summary>Waits until so many more requests have arrived.</summary>
    public async Task ArriveAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            Assert.True(await _arrived.WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken), $"{i} of {count} requests arrived.");
        }
    }

    /// <summary>Answers the request of a path, now or when it arrives.</summary>
    public void Answer(string path, string body = "") => AnswerOf(path).SetResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(body) });

    /// <summary>Answers with a content that the test controls.</summary>
    public void Answer(string path, HttpContent content) => AnswerOf(path).SetResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = content });

    /// <summary>Answers with a response of any status.</summary>
    public void Answer(string path, HttpResponseMessage response) => AnswerOf(path).SetResult(response);

    /// <summary>Answers the first request of a path with one response, and the next with another. Completes when the first is answered.</summary>
    public Task AnswerInTurn(string path, HttpResponseMessage first, HttpResponseMessage second)
    {
        var answered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _inTurn[path] = () =>
        {
            Answer(path, second);
            answered.SetResult();
            return first;
        };
        return answered.Task;
    }

    /// <summary>The request of a path fails.</summary>
    public void Fail(string path, Exception failure) => AnswerOf(path).SetException(failure);

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var path = request.RequestUri!.IdnHost == "host" ? request.RequestUri.AbsolutePath : request.RequestUri.IdnHost + request.RequestUri.AbsolutePath;
        var now = Interlocked.Increment(ref _inFlight);
        InterlockedMax(now);
        Arrived.Enqueue(path);
        _arrived.Release();
        try
        {
            return _inTurn.TryRemove(path, out var first) ? first() : await AnswerOf(path).Task.WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            Cancelled.Enqueue(path);
            throw;
        }
        finally
        {
            Interlocked.Decrement(ref _inFlight);
        }
    }

    private TaskCompletionSource<HttpResponseMessage> AnswerOf(string path) =>
        _answers.GetOrAdd(path, static _ => new TaskCompletionSource<HttpResponseMessage>(TaskCreationOptions.RunContinuationsAsynchronously));

    private void InterlockedMax(int value)
    {
        for (var most = Volatile.Read(ref _most); most < value; most = Volatile.Read(ref _most))
        {
            if (Interlocked.CompareExchange(ref _most, value, most) == most)
            {
                return;
            }
        }
    }
}
