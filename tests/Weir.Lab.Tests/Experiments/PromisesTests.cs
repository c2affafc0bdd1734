using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class PromisesTests
{
    public static TheoryData<string> Names => [.. AllExperiments.List.Select(experiment => experiment.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Where_nothing_was_measured_no_promise_holds(string name)
    {
        var experiment = AllExperiments.Named([name])[0];
        foreach (var scale in Enum.GetValues<Scale>())
        {
            Case[] cases = [.. experiment.Cases(scale)];
            Promise[] nothing = [.. experiment.Promises(new Measured([], cases), scale)];
            Assert.DoesNotContain(nothing, promise => promise.Holds);

            // Comparisons find promises by their text.
            Assert.Distinct(nothing.Select(promise => promise.Text));
        }
    }

    // It is named with its reason; a promise about it could only be broken.
    [Theory]
    [MemberData(nameof(Names))]
    public void Nothing_is_promised_of_what_Weir_cannot_do_yet(string name)
    {
        var experiment = AllExperiments.Named([name])[0];
        Case[] cases = [.. experiment.Cases(Scale.Full)];
        string[] later = [.. cases.SelectMany(@case => @case.Contenders).Where(contender => contender.Availability is Availability.NotYet).Select(contender => contender.Name)];
        Assert.DoesNotContain(
            experiment.Promises(new Measured([], cases), Scale.Full), promise => later.Any(contender => promise.Text.Contains(contender, StringComparison.Ordinal)));
    }
}
