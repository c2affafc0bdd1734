namespace Weir.Tests.Protocol;

/// <summary>
/// Runs two sides one step at a time, in every order in which their steps can follow each other. Each side has a thread of its
/// own, but only the one whose turn it is moves. The one that moves chooses the next, so that threads change only where the order does.
/// </summary>
internal sealed class Interleavings : IDisposable
{
    private readonly List<(int Choice, int Count)> _path = [];
    private readonly Side[] _sides;

    // Set when both sides are finished. An AutoResetEvent does not spin: three threads share the processors with other tests.
    private readonly AutoResetEvent _finished = new(false);

    // Whose turn it is owns what follows.
    private int _depth;
    private Exception? _failure;

    private Interleavings() => _sides = [new Side(this), new Side(this)];

    /// <summary>Runs every order once.</summary>
    /// <param name="prepare">Creates a new state: both sides, given the action to call before each step, and the check when both are finished.</param>
    /// <returns>How many orders there were.</returns>
    public static int Explore(Func<Action, Action, (Action First, Action Second, Action Check)> prepare)
    {
        using var self = new Interleavings();
        for (var runs = 1; ; runs++)
        {
            var (first, second, check) = prepare(self._sides[0].Step, self._sides[1].Step);
            self.Run(first, second);
            check();
            if (!self.Advance())
            {
                return runs;
            }
        }
    }

    public void Dispose()
    {
        foreach (var side in _sides)
        {
            side.Dispose();
        }

        _finished.Dispose();
    }

    private void Run(Action first, Action second)
    {
        _depth = 0;
        _sides[0].Begin(first);
        _sides[1].Begin(second);
        Next()!.Go.Set();
        _finished.WaitOne();
        if (_failure is not null)
        {
            throw new InvalidOperationException($"In the order {string.Concat(_path.Select(static at => at.Choice))}.", _failure);
        }
    }

    // The side that moves next; null when both are finished.
    private Side? Next()
    {
        var (first, second) = (_sides[0], _sides[1]);
        if (first.IsDone && second.IsDone)
        {
            return null;
        }

        if (_depth == _path.Count)
        {
            _path.Add((0, first.IsDone || second.IsDone ? 1 : 2));
        }

        return _path[_depth++].Choice == 0 && !first.IsDone ? first : second;
    }

    // The next order: the last choice that can still be another one.
    private bool Advance()
    {
        while (_path.Count > 0 && _path[^1].Choice + 1 == _path[^1].Count)
        {
            _path.RemoveAt(_path.Count - 1);
        }

        if (_path.Count == 0)
        {
            return false;
        }

        _path[^1] = (_path[^1].Choice + 1, _path[^1].Count);
        return true;
    }

    private sealed class Side : IDisposable
    {
        private readonly Interleavings _owner;
        private readonly Thread _thread;
        private Action? _work;
        private volatile bool _ends;

        public Side(Interleavings owner)
        {
            _owner = owner;
            _thread = new Thread(Run) { IsBackground = true };
            _thread.Start();
        }

        public AutoResetEvent Go { get; } = new(false);

        public bool IsDone { get; private set; } = true;

        public void Begin(Action work)
        {
            _work = work;
            IsDone = false;
        }

        /// <summary>Waits for its next turn, which may be now.</summary>
        public void Step()
        {
            var next = _owner.Next()!;
            if (next != this)
            {
                next.Go.Set();
                Go.WaitOne();
            }
        }

        public void Dispose()
        {
            _ends = true;
            Go.Set();
            _thread.Join();
            Go.Dispose();
        }

        private void Run()
        {
            while (true)
            {
                Go.WaitOne();
                if (_ends)
                {
                    return;
                }

                try
                {
                    _work!();
                }
                catch (DeathException)
                {
                    // The test ended this side on purpose.
                }
                catch (Exception failure)
                {
                    _owner._failure = failure;
                }

                IsDone = true;
                (_owner.Next()?.Go ?? _owner._finished).Set();
            }
        }
    }
}
