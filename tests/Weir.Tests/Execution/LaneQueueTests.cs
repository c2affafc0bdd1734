using Weir.Execution.Lanes;

namespace Weir.Tests.Execution;

public sealed class LaneQueueTests
{
    [Fact]
    public void Work_is_dequeued_in_order()
    {
        var queue = new LaneQueue();
        var works = Enumerable.Range(0, 4).Select(_ => new IdleWork()).ToArray();
        Array.ForEach(works, queue.Enqueue);

        Assert.Equal(works, Enumerable.Range(0, 4).Select(_ => queue.Dequeue()));
        Assert.Null(queue.Dequeue());
        Assert.Equal(0, queue.Count);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Work_can_be_removed_from_any_position(int index)
    {
        var queue = new LaneQueue();
        var works = Enumerable.Range(0, 3).Select(_ => new IdleWork()).ToList();
        works.ForEach(queue.Enqueue);

        queue.Remove(works[index]);
        Assert.False(works[index].IsQueued);
        works.RemoveAt(index);

        Assert.Equal(2, queue.Count);
        Assert.Same(works[0], queue.Head);
        Assert.Equal(works, Enumerable.Range(0, 2).Select(_ => queue.Dequeue()));
    }

    [Fact]
    public void Random_use_keeps_order_and_count()
    {
        var random = new Random(7);
        var queue = new LaneQueue();
        var model = new List<LaneWork>();
        for (var step = 0; step < 10_000; step++)
        {
            switch (random.Next(3))
            {
                case 0:
                    var work = new IdleWork();
                    queue.Enqueue(work);
                    model.Add(work);
                    break;
                case 1 when model.Count > 0:
                    var index = random.Next(model.Count);
                    queue.Remove(model[index]);
                    model.RemoveAt(index);
                    break;
                default:
                    Assert.Same(model.FirstOrDefault(), queue.Dequeue());
                    model.RemoveRange(0, Math.Min(1, model.Count));
                    break;
            }

            Assert.Equal(model.Count, queue.Count);
        }
    }

    private sealed class IdleWork : LaneWork
    {
        internal override void Execute()
        {
        }

        internal override void Reject(CallRejectedException reason)
        {
        }
    }
}
