using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Jobs.Simulation;

/// <summary>The rules of jobs hold whatever happens, and each rule that is broken on purpose is noticed, for the right reason.</summary>
public sealed class JobSimulationTests
{
    private const int Seeds = 20_000;
    private const int MostSeeds = 2_000;

    public static TheoryData<string, string> Mutations => new()
    {
        { nameof(JobMutation.RepeatsEverything), "a job whose end is not known runs once unless it is idempotent" },
        { nameof(JobMutation.ForgetsCrashes), "a job that ends its workers ends" },
        { nameof(JobMutation.ForgetsLosses), "a job whose replicas are lost ends" },
        { nameof(JobMutation.ForgetsAttempts), "a job is tried as often as its kind says" },
        { nameof(JobMutation.IgnoresFences), "what an earlier attempt reports changes nothing" },
        { nameof(JobMutation.CountsTwice), "an attempt has one outcome" },
        { nameof(JobMutation.LosesLateOutcomes), "a success is kept" },
        { nameof(JobMutation.LosesLateSuccess), "a success is kept" },
        { nameof(JobMutation.ForgetsCancel), "a job that was cancelled while it waited does not run" },
        { nameof(JobMutation.ForgetsPauses), "the next attempt follows after a pause" },
        { nameof(JobMutation.NeverDue), "every job ends" },
    };

    [Fact]
    public void Whatever_happens_every_job_ends_once_and_runs_no_more_often_than_it_may()
    {
        var states = new HashSet<(JobState, JobReason)>();
        for (var seed = 0; seed < Seeds; seed++)
        {
            try
            {
                var simulation = new JobSimulation(seed);
                simulation.Run();
                states.UnionWith(simulation.Jobs.Select(static job => (job.Row.State, job.Row.Reason)));
            }
            catch (SimulationFault fault)
            {
                Assert.Fail($"seed {seed}: {fault.Message}");
            }
        }

        // Every end occurred but that of a job that expires, which no replica brings about.
        Assert.Equal(Enum.GetValues<JobReason>().Length + 1, states.Count);
    }

    [Theory]
    [MemberData(nameof(Mutations))]
    public void A_broken_rule_is_noticed(string mutation, string rule)
    {
        var found = new HashSet<string>();
        for (var seed = 0; seed < MostSeeds && !found.Contains(rule); seed++)
        {
            try
            {
                new JobSimulation(seed, Enum.Parse<JobMutation>(mutation)).Run();
            }
            catch (SimulationFault fault)
            {
                found.Add(fault.Rule);
            }
        }

        Assert.Contains(rule, found);
    }

    [Fact]
    public void Every_mutation_is_tried() =>
        Assert.Equal(
            Enum.GetNames<JobMutation>().Where(static name => name != nameof(JobMutation.None)).Order(),
            Mutations.Select(static row => row.Data.Item1).Order());
}
