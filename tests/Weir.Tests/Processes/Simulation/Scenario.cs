using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>The scenario of a seed: settings, kinds of workers, and how often each error occurs.</summary>
internal sealed class Scenario
{
    /// <summary>The highest maximum of any pool at any time.</summary>
    public const int MostWorkers = 7;

    public Scenario(Random random)
    {
        Random = random;

        // 1. Most seeds are of one kind, so that events that are rare in a mixture are common in some seeds.
        HaveSharedMemory = random.Next(3) > 0;
        Pools = random.Next(6) == 0 ? random.Next(2, 4) : 1;
        CapacityForAll = Pools > 1 || random.Next(8) == 0 ? random.Next(1, 6) : int.MaxValue;
        Faults = random.Next(4) switch { 0 => 0, 1 => 0.01, 2 => 0.05, _ => 0.2 };
        Stalls = Faults > 0 && random.Next(3) == 0 ? 0.02 : 0;
        Leaving = random.Next(3) switch { 0 => 0, 1 => 0.1, _ => 0.4 };
        TimerDelay = random.Next(2) == 0 ? TimeSpan.Zero : TimeSpan.FromMilliseconds(random.Next(1, 5));
        Latency = random.Next(3) switch { 0 => 0, 1 => 0.05, _ => 1 };
        Arrivals = random.Next(10, 70);
        Burst = random.Next(1, 30);
        Pause = random.Next(3) switch { 0 => 1, 1 => 30, _ => 400 };
        Idempotent = random.NextDouble();
        FaultsEnd = TimeSpan.FromMilliseconds(random.Next(200, 8000));
        AbortsAfter = random.Next(6) == 0 ? random.Next(400) : null;
        MostAge = random.Next(6) == 0 ? TimeSpan.FromMilliseconds(random.Next(100, 2000)) : null;

        // If workers are replaced without an end, or requested without capacity on the host, there is always a further event.
        DrainsAt = MostAge is not null || CapacityForAll != int.MaxValue || random.Next(2) == 0 ? random.Next(4000) : null;
        Renewals = random.Next(4) == 0 ? random.Next(1, 3) : 0;
        Resizes = random.Next(3) == 0 ? random.Next(1, 5) : 0;
        StreamStall = TimeSpan.FromMilliseconds(random.Next(100, 1500));
        Preemption = random.Next(3) switch { 0 => 0, 1 => 0.05, _ => 4 };
        MissedWakes = HaveSharedMemory && random.Next(6) == 0 ? 0.1 : 0;
        FailsTicks = random.Next(8) == 0;
        StandsStill = random.Next(6) == 0 ? random.Next(1, 4) : 0;
        Operations = [.. Enumerable.Range(0, random.Next(1, 5)).Select(_ => new SimulatedOperation(random))];
    }

    public Random Random { get; }

    public bool HaveSharedMemory { get; }

    public int Pools { get; }

    /// <summary>The maximum over all pools.</summary>
    public int CapacityForAll { get; }

    /// <summary>The probability of each possible error.</summary>
    public double Faults { get; }

    /// <summary>The probability, at each step of a worker, that it is stopped as if by a debugger, for some time or permanently.</summary>
    public double Stalls { get; }

    public double Leaving { get; }

    /// <summary>The maximum delay of the pool's timer.</summary>
    public TimeSpan TimerDelay { get; }

    /// <summary>The maximum latency between the processes, in milliseconds.</summary>
    public double Latency { get; }

    /// <summary>How long a thread of the host is preempted at most before it carries something out, in milliseconds.</summary>
    public double Preemption { get; }

    /// <summary>The probability that a worker that waits misses the wake.</summary>
    public double MissedWakes { get; }

    /// <summary>Whether ticks of the pool may fail.</summary>
    public bool FailsTicks { get; }

    /// <summary>How often the host stands still for up to some seconds.</summary>
    public int StandsStill { get; }

    public int Arrivals { get; }

    public int Burst { get; }

    public int Pause { get; }

    public double Idempotent { get; }

    public TimeSpan FaultsEnd { get; }

    /// <summary>Milliseconds from drain to abort.</summary>
    public int? AbortsAfter { get; }

    /// <summary>In milliseconds; <c>null</c>: when no event is left.</summary>
    public int? DrainsAt { get; }

    public int Renewals { get; }

    /// <summary>How often each pool gets another size.</summary>
    public int Resizes { get; }

    public TimeSpan? MostAge { get; }

    /// <summary>How long the reader of a stream may take nothing while its worker waits for it.</summary>
    public TimeSpan StreamStall { get; }

    public SimulatedOperation[] Operations { get; }

    /// <summary>Another size of the same pool.</summary>
    public PoolSettings Resized(PoolSettings settings)
    {
        var max = Random.Next(1, MostWorkers + 1);
        return settings with
        {
            MinWorkers = Random.Next(0, max + 1),
            MaxWorkers = max,
            QueueLimit = Random.Next(0, 30),
            IdleTimeout = Random.Next(4) == 0 ? null : TimeSpan.FromMilliseconds(Random.Next(100, 2000)),
        };
    }

    public PoolSettings Settings()
    {
        var max = Random.Next(1, 6);
        return new PoolSettings
        {
            MinWorkers = Random.Next(0, max + 1),
            MaxWorkers = max,
            QueueLimit = Random.Next(4) == 0 ? Random.Next(0, 5) : Random.Next(5, 60),
            IdleTimeout = Random.Next(4) == 0 ? null : TimeSpan.FromMilliseconds(1000),
            CancelGrace = TimeSpan.FromMilliseconds(Random.Next(5) == 0 ? 0 : 200),
            RestartBudget = Random.Next(1, 6),
            MostStarting = Random.Next(1, 4),
            Concurrency = Random.Next(5) == 0 ? Random.Next(2, 5) : 1,
            Standby = Random.Next(2),
            MostTasks = Random.Next(5) == 0 ? Random.Next(1, 20) : null,
            MostAge = MostAge,
            SoftMemoryBytes = Random.Next(5) == 0 ? 1000 : null,
            StallTimeout = TimeSpan.FromMilliseconds(1000),
            QuarantineTime = TimeSpan.FromMilliseconds(500),
            ForgivenDeaths = Random.Next(3, 6),
        };
    }
}
