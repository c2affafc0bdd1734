namespace Weir.Execution.Lanes;

/// <summary>First in, first out, with removal from the middle. Protected by the lane's lock; bounded by the lane.</summary>
internal sealed class LaneQueue
{
    private LaneWork? _tail;

    internal LaneWork? Head { get; private set; }

    internal int Count { get; private set; }

    internal void Enqueue(LaneWork work)
    {
        work.IsQueued = true;
        work.Previous = _tail;
        if (_tail is null)
        {
            Head = work;
        }
        else
        {
            _tail.Next = work;
        }

        _tail = work;
        Count++;
    }

    internal LaneWork? Dequeue()
    {
        var work = Head;
        if (work is not null)
        {
            Remove(work);
        }

        return work;
    }

    internal void Remove(LaneWork work)
    {
        if (work.Previous is null)
        {
            Head = work.Next;
        }
        else
        {
            work.Previous.Next = work.Next;
        }

        if (work.Next is null)
        {
            _tail = work.Previous;
        }
        else
        {
            work.Next.Previous = work.Previous;
        }

        work.Previous = work.Next = null;
        work.IsQueued = false;
        Count--;
    }
}
