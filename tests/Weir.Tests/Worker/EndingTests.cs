using System.Runtime.CompilerServices;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Worker;

/// <summary>Calls, cancels, credit and a drain in any order, from fixed seeds: every started call has one outcome, every other none.</summary>
public sealed class EndingTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void In_any_order_every_started_call_has_exactly_one_outcome_and_every_other_is_handed_back(bool concurrent)
    {
        for (var seed = 0; seed < 150; seed++)
        {
            Run(new Random(seed), concurrent);
        }
    }

    private static void Run(Random random, bool concurrent)
    {
        using var host = ScriptedHost.Ready(
            new TestCatalog()
                .Sync((call, token) => token.IsCancellationRequested ? throw new OperationCanceledException() : call.Text)
                .Async(async (call, token) =>
                {
                    await Task.Yield();
                    token.ThrowIfCancellationRequested();
                    return call.Text;
                })
                .Stream(Numbers)
                .Blocking(static _ => Enumerable.Range(0, 3))
                .Sync((_, _) => throw new InvalidOperationException("no")),
            concurrent ? Capabilities.Concurrent : Capabilities.None);

        // 1. Any mix of calls, cancels of any past or near future id, and credit.
        var sent = 0ul;
        for (var step = random.Next(20); step > 0; step--)
        {
            switch (random.Next(4))
            {
                case 0:
                    host.Cancel((ulong)random.Next(1, (int)sent + 4));
                    break;
                case 1:
                    host.Grant((ulong)random.Next(1, (int)sent + 2), (uint)random.Next(1, 100));
                    break;
                default:
                    host.Call(++sent, random.Next(5), credit: (uint)random.Next(1000), data: new byte[random.Next(100)], remaining: random.Next(4) == 0 ? 0 : -1);
                    break;
            }
        }

        // 2. No call waits forever for credit, and the worker is drained.
        for (var id = 1ul; id <= sent; id++)
        {
            host.Cancel(id);
        }

        host.Drain(sent);
        var returned = host.ExpectControl(FrameType.Returned);
        Assert.Equal(sent, ReturnedPayload.Read(returned.Payload).Last);
        host.ExpectControl(FrameType.Bye);
        Assert.Equal("exit 0", host.End.Wait());

        // 3. The frames that arrived.
        var started = new HashSet<ulong>();
        var ended = new HashSet<ulong>();
        while (host.TryNextData() is { } frame)
        {
            if (frame.Type == FrameType.Started)
            {
                Assert.True(started.Add(frame.CallId));
            }
            else
            {
                Assert.True(started.Contains(frame.CallId) && !ended.Contains(frame.CallId), $"{frame.Type} of call {frame.CallId}");
                if (frame.Type != FrameType.Item)
                {
                    ended.Add(frame.CallId);
                }
            }
        }

        Assert.Equal(started, ended);
        Assert.Equal((int)returned.CallId - 1, started.Count);
        Assert.All(started, id => Assert.InRange(id, 1ul, returned.CallId - 1));
    }

    private static async IAsyncEnumerable<int> Numbers([EnumeratorCancellation] CancellationToken token)
    {
        for (var i = 0; i < 3; i++)
        {
            await Task.Yield();
            token.ThrowIfCancellationRequested();
            yield return i;
        }
    }
}
