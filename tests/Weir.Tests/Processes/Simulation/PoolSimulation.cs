using Weir.Runtime;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// Pools with simulated workers and callers under virtual time: the real core, every delay and every error
/// drawn from a seed. After every event the <see cref="Oracle"/> checks the table; in the end every call has had one outcome.
/// </summary>
internal sealed class PoolSimulation
{
    private const int MostSteps = 200_000;

    private readonly World _world;
    private readonly SimulatedPool[] _pools;
    private readonly ulong[] _endsWorkers;

    public PoolSimulation(int seed, Mutation mutation = Mutation.None, bool traces = false)
    {
        _world = new World(seed, mutation, traces);
        _pools = [.. Enumerable.Range(0, _world.Scenario.Pools).Select(number => new SimulatedPool(_world, number))];
        _endsWorkers = [.. Enumerable.Range(0, 3).Select(_ => (ulong)_world.Random.Next(1, 40))];
    }

    public int Calls => _pools.Sum(static pool => pool.Calls.Count);

    public int Answered => _pools.Sum(static pool => pool.Calls.Count(static call => call.Outcomes is ["answered"]));

    public IEnumerable<string> Trace => _world.Trace;

    /// <summary>Runs a seed; a failure is run again with its trace.</summary>
    public static PoolSimulation Run(int seed)
    {
        var simulation = new PoolSimulation(seed);
        try
        {
            simulation.Run();
            return simulation;
        }
        catch (Exception failure)
        {
            var again = new PoolSimulation(seed, traces: true);
            try
            {
                again.Run();
            }
            catch (Exception)
            {
                // The same run again, for its trace.
            }

            throw new InvalidOperationException(
                $"seed {seed}: {failure.Message}\nthe last of what happened (SimulationTests.A_seed_is_replayed shows all of it):\n{string.Join('\n', again.Trace.TakeLast(200))}", failure);
        }
    }

    public void Run()
    {
        // 1. Callers arrive in bursts, some of them cancel; errors are injected for some time.
        var scenario = _world.Scenario;
        foreach (var pool in _pools)
        {
            pool.Open();
            ScheduleCallers(pool);
            ScheduleTrouble(pool);
        }

        for (var i = 0; i < scenario.StandsStill; i++)
        {
            _world.Time.After(_world.Random.Next(3000), () => _world.StandStill(TimeSpan.FromMilliseconds(_world.Random.Next(100, 3000))));
        }

        // 2. The pools are drained at some time, or when no event is left.
        if (scenario.DrainsAt is { } at)
        {
            _world.OnHost(at, End);
        }

        RunDry();
        if (scenario.DrainsAt is null)
        {
            foreach (var pool in _pools)
            {
                pool.Oracle.Rests();
                pool.Oracle.Generations.Rests();
            }

            End();
            RunDry();
        }

        // 3. The pools are drained, and each call has one outcome.
        foreach (var pool in _pools)
        {
            pool.Oracle.Holds(pool.IsDrained, "a drain completes", $"{pool.Table.Occupied} workers, {pool.Table.InPool} calls");
            pool.Oracle.Rests();
            foreach (var call in pool.Calls)
            {
                pool.Oracle.Holds(call.Outcomes.Count == 1, "a call has one outcome", $"{call} has {call.Outcomes.Count}");
                pool.Oracle.Streams.Rests(call);
            }
        }
    }

    private void RunDry()
    {
        do
        {
            foreach (var pool in _pools)
            {
                pool.Look();
            }

            if (_world.Fault is { } fault)
            {
                throw fault;
            }

            if (_world.Time.Steps > MostSteps)
            {
                throw new SimulationFault("a run ends", $"not after {MostSteps} steps, at {_world.Now}");
            }
        }
        while (_world.Time.TryStep());
    }

    private void End()
    {
        foreach (var pool in _pools)
        {
            pool.Drain();
            if (_world.Scenario.AbortsAfter is { } later)
            {
                _world.OnHost(later, pool.Abort);
            }
        }
    }

    private void ScheduleCallers(SimulatedPool pool)
    {
        var at = 0;
        for (var i = 0; i < _world.Scenario.Arrivals; i++)
        {
            at += i % _world.Scenario.Burst == 0 ? _world.Random.Next(_world.Scenario.Pause * 2) : 0;
            var number = i;
            _world.OnHost(at + (_world.Random.NextDouble() * 0.1), () => Come(pool, number));
        }
    }

    private void Come(SimulatedPool pool, int number)
    {
        var random = _world.Random;
        var scenario = _world.Scenario;
        var fingerprint = (ulong)random.Next(1, 40);
        var mayRunTwice = random.NextDouble() < scenario.Idempotent;
        var operation = scenario.Operations[random.Next(scenario.Operations.Length)];
        (CallAdmission Admission, int? Retries, bool EndsWithItsCode) asked = ((CallAdmission)random.Next(3), random.Next(2) == 0 ? null : random.Next(5), random.Next(3) == 0);
        var call = new SimulatedCall(pool, number, operation, fingerprint)
        {
            Asked = asked,
            Admission = _world.Mutation == Mutation.QueuesTheFree && asked.Admission == CallAdmission.Free ? CallAdmission.Queue : asked.Admission,
            Retries = _world.Mutation == Mutation.IgnoresRetries ? null : asked.Retries,
            EndsWithItsCode = asked.EndsWithItsCode && _world.Mutation != Mutation.LeavesCodeBehind,
            HasLeft = random.Next(40) == 0,
            EndsWorkers = scenario.Faults > 0.04 && _endsWorkers.Contains(fingerprint),
            MayRunTwice = mayRunTwice,
            IsIdempotent = mayRunTwice || _world.Mutation == Mutation.RetriesEverything,
            IsStreamed = operation.IsStreamed && _world.Mutation != Mutation.SendsBehindUnknown,
        };
        if (operation.IsStreamed)
        {
            call.Stream = new SimulatedStream(_world, call);
        }

        if (random.NextDouble() < scenario.Leaving)
        {
            _world.OnHost(random.Next(3) switch { 0 => random.NextDouble(), 1 => random.Next(50), _ => random.Next(600) }, () => pool.Leave(call));
        }

        pool.Come(call);
    }

    private void ScheduleTrouble(SimulatedPool pool)
    {
        var random = _world.Random;
        for (var i = 0; i < 5; i++)
        {
            _world.OnHost(random.Next(3000), pool.Probe);
        }

        for (var i = 0; i < _world.Scenario.Renewals; i++)
        {
            _world.OnHost(random.Next(3000), pool.Renew);
        }

        if (random.Next(4) == 0)
        {
            _world.OnHost(random.Next(3000), pool.Shrink);
        }

        for (var i = 0; i < _world.Scenario.Resizes; i++)
        {
            var size = _world.Scenario.Resized(pool.Promised);
            _world.OnHost(random.Next(3000), () => pool.Resize(size));
        }

        for (var i = random.Next(3); i > 0; i--)
        {
            _world.OnHost(random.Next(3000), pool.Await);
        }

        // A process outside kills workers at random.
        for (var i = 0; i < _world.Scenario.Faults * 30; i++)
        {
            _world.Time.After(random.Next(3000), () => pool.Workers[random.Next(pool.Workers.Length)]?.Die("killed from outside"));
        }
    }
}
