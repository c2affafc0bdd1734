using Weir.Protocol.Flow;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// The host's side of one stream, and its reader: items wait here, bounded by credit, until they are taken; taken items
/// become credit again; a reader that takes nothing while the window is full is cancelled. The pool's real streams do the same.
/// </summary>
internal sealed class SimulatedStream
{
    private const uint LeastGrant = ItemQueue.Window / 4;

    private readonly World _world;
    private readonly SimulatedCall _call;

    // Bounded by the window.
    private readonly LinkedList<int> _unread = [];
    private readonly int _kind;
    private readonly int _stopsAfter;
    private ItemCredit _credit = new(ItemQueue.Window);
    private long _ungranted;
    private int _current;
    private int _alarm;
    private bool _waits = true;
    private bool _isClosed;
    private bool _hasEnded;

    public SimulatedStream(World world, SimulatedCall call)
    {
        _world = world;
        _call = call;
        var random = world.Random;

        // Many small items, some that fill the window, and a few that are larger than the window.
        var kind = random.Next(4);
        Sizes = [.. Enumerable.Range(0, random.Next(kind == 0 ? 3 : 8)).Select(_ => kind switch { 0 => random.Next(2000), 3 => random.Next(400_000), _ => random.Next(40_000, 120_000) })];
        _kind = random.Next(4);
        _stopsAfter = random.Next(6) == 0 ? random.Next(6) : int.MaxValue;
        _waits = _stopsAfter > 0;
    }

    /// <summary>The bytes of each item.</summary>
    public int[] Sizes { get; }

    /// <summary>Whether its reader takes every item, unless it is cancelled.</summary>
    public bool GoesOn => _stopsAfter == int.MaxValue;

    /// <summary>How many items have arrived.</summary>
    public int Arrived { get; private set; }

    /// <summary>How many its reader has taken.</summary>
    public int Taken { get; private set; }

    public int Unread => _unread.Count;

    /// <summary>The bytes that its reader has finished with.</summary>
    public long Passed { get; private set; }

    /// <summary>When an item was last taken or arrived.</summary>
    public TimeSpan QuietSince { get; private set; }

    public bool IsFull => !_credit.CanSend && !_isClosed && !_hasEnded;

    /// <summary>An item has arrived.</summary>
    public void Accept(int number)
    {
        var rules = _call.Pool.Oracle.Streams;
        rules.Arrives(_call, number);
        rules.Fits(_call, _credit.TryTake(Sizes[number - 1]));
        Arrived = number;
        if (_isClosed)
        {
            return;
        }

        _unread.AddLast(number);
        QuietSince = _world.Now;
        if (!_credit.CanSend)
        {
            Alarm(++_alarm, Patience);
        }

        if (_waits)
        {
            _waits = false;
            Advance();
        }
    }

    /// <summary>The call has its outcome. The reader still gets the items that arrived before, unless the reader itself cancelled.</summary>
    public void End(bool isCancelled)
    {
        _hasEnded = true;
        if (_world.Mutation == Mutation.LosesItems)
        {
            _unread.Clear();
        }

        if (isCancelled && _world.Mutation != Mutation.ReadsAfterLeaving)
        {
            _isClosed = true;
            _unread.Clear();
        }
    }

    // ---- the reader ----

    private void Advance()
    {
        while (!_isClosed)
        {
            PassOn();
            if (_unread.Count == 0)
            {
                _waits = true;
                return;
            }

            Take();
            if (Taken == _stopsAfter)
            {
                return;
            }

            if (Delay() is > 0 and var delay)
            {
                _world.OnHost(delay, Advance);
                return;
            }
        }
    }

    private void Take()
    {
        var next = _world.Mutation == Mutation.SwapsItems ? _unread.Last! : _unread.First!;
        _unread.Remove(next);
        _current = next.Value;
        _call.Pool.Oracle.Streams.Takes(_call, _current);
        Taken++;
        QuietSince = _world.Now;
    }

    private double Delay() => _kind switch
    {
        0 => 0,
        1 => _world.Random.NextDouble(),
        2 => _world.Random.Next(60),

        // Nearly always at once; sometimes so late that it is cancelled, or nearly.
        _ => _world.Random.Next(8) == 0 ? _world.Random.NextDouble() * 1.5 * _world.Scenario.StreamStall.TotalMilliseconds : 0,
    };

    // The item that it has finished with makes space for more.
    private void PassOn()
    {
        if (_current > 0)
        {
            var cost = ItemCredit.CostOf(Sizes[_current - 1]);
            _current = 0;
            _ungranted += cost;
            Passed += cost;
        }

        if (_ungranted >= LeastGrant && !_hasEnded)
        {
            var grant = (uint)_ungranted;
            _ungranted = 0;
            _credit.Grant(grant);

            // If one item was larger than the window, a grant may not be enough.
            _alarm += _credit.CanSend ? 1 : 0;
            if (_world.Mutation != Mutation.LosesCredit)
            {
                _call.Pool.Grant(_call, grant);
            }
        }
    }

    // ---- the timeout of the reader ----

    private TimeSpan Patience => _world.Mutation == Mutation.CutsTheStall ? _world.Scenario.StreamStall / 2 : _world.Scenario.StreamStall;

    private void Alarm(int alarm, TimeSpan after) => _world.OnHost(after, () =>
    {
        // Every item that was taken is progress, even if too few were taken for another grant.
        if (alarm != _alarm || !IsFull || _world.Mutation == Mutation.NeverStalls)
        {
            return;
        }

        var left = QuietSince + Patience - _world.Now;
        if (left > TimeSpan.Zero)
        {
            Alarm(alarm, left);
            return;
        }

        _call.Pool.Oracle.Streams.Stalls(_call);
        _call.Pool.Leave(_call);
    });
}
