using Weir.Execution;

namespace Weir.Tests.Execution;

public sealed class EndedTogetherTests
{
    private readonly EndedTogether _together = new();

    [Fact]
    public void A_call_that_ends_by_itself_is_told_at_once()
    {
        var batch = new Told();
        var call = new One(1);
        EndedTogether.Add(batch, call);
        Assert.Equal([[1]], batch.Lists);
    }

    [Fact]
    public void Calls_that_end_together_are_told_once_and_the_last_comes_first()
    {
        var batch = new Told();
        _together.Begin();
        for (var number = 1; number <= 3; number++)
        {
            EndedTogether.Add(batch, new One(number));
        }

        Assert.Empty(batch.Lists);
        _together.End();
        Assert.Equal([[3, 2, 1]], batch.Lists);
    }

    [Fact]
    public void Every_batch_is_told_of_its_own_calls_and_of_each_once()
    {
        var batches = new[] { new Told(), new Told() };
        _together.Begin();
        for (var number = 0; number < 6; number++)
        {
            EndedTogether.Add(batches[number / 2 % 2], new One(number));
        }

        _together.End();
        Assert.Equal([0, 1, 4, 5], batches[0].Lists.SelectMany(list => list).Order());
        Assert.Equal([2, 3], batches[1].Lists.SelectMany(list => list).Order());
    }

    [Fact]
    public void What_another_thread_ends_meanwhile_is_told_at_once()
    {
        var batch = new Told();
        _together.Begin();
        var other = new Thread(() => EndedTogether.Add(batch, new One(1)));
        other.Start();
        other.Join();
        Assert.Equal([[1]], batch.Lists);
        _together.End();
    }

    [Fact]
    public void After_the_end_calls_are_told_at_once_again()
    {
        var batch = new Told();
        _together.Begin();
        _together.End();
        EndedTogether.Add(batch, new One(1));
        Assert.Equal([[1]], batch.Lists);
    }

    private sealed class One(int number) : EndedCall
    {
        public int Number => number;
    }

    private sealed class Told : IEndedCalls
    {
        public List<int[]> Lists { get; } = [];

        public IThreadPoolWorkItem? OnEnded(EndedCall last, EndedCall first)
        {
            var numbers = new List<int>();
            for (EndedCall? call = last; call is not null; call = call == first ? null : call.Next)
            {
                numbers.Add(((One)call).Number);
            }

            Lists.Add([.. numbers]);
            return null;
        }
    }
}
