namespace Weir.Execution.Pools.Scheduling;

/// <summary>Calls in order, linked through themselves: adding and removing allocates nothing.</summary>
internal sealed class CallList
{
    public int Count { get; private set; }

    public CallEntry? First { get; private set; }

    public CallEntry? Last { get; private set; }

    public void AddLast(CallEntry call)
    {
        call.Previous = Last;
        call.Next = null;
        if (Last is null)
        {
            First = call;
        }
        else
        {
            Last.Next = call;
        }

        Last = call;
        Count++;
    }

    public void AddFirst(CallEntry call)
    {
        call.Previous = null;
        call.Next = First;
        if (First is null)
        {
            Last = call;
        }
        else
        {
            First.Previous = call;
        }

        First = call;
        Count++;
    }

    public CallEntry RemoveFirst()
    {
        var call = First!;
        Remove(call);
        return call;
    }

    /// <summary>Removes a call that is in this list.</summary>
    public void Remove(CallEntry call)
    {
        if (call.Previous is null)
        {
            First = call.Next;
        }
        else
        {
            call.Previous.Next = call.Next;
        }

        if (call.Next is null)
        {
            Last = call.Previous;
        }
        else
        {
            call.Next.Previous = call.Previous;
        }

        call.Previous = call.Next = null;
        Count--;
    }
}
