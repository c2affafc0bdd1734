using System.Collections;
using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Weir.Generator.Pipeline;
using Weir.Generator.Tests.Behaviour;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Pipeline;

/// <summary>What an edit runs again, and what it leaves alone.</summary>
public sealed class IncrementalityTests
{
    // It gets a client, in a file that no test edits.
    private const string Called = "namespace Sample { [Weir.Service] public interface ICalled { ValueTask<string> Call(int[] numbers, CancellationToken ct = default); } }";

    private static readonly string[] Texts = [StepNames.ServiceText, StepNames.TypeText, StepNames.CatalogText, StepNames.ClientText, StepNames.ApplicationText];

    [Fact]
    public void An_edit_of_a_method_body_changes_no_output()
    {
        var result = Edit("factor * (order", "factor * 2 * (order");

        Assert.All(result.TrackedOutputSteps.SelectMany(static one => one.Value).SelectMany(static step => step.Outputs), static output => AssertUnchanged(output.Reason));
        Assert.All(Tracked(result), static one => AssertUnchanged(one.Reason));
    }

    [Fact]
    public void Text_that_only_moves_changes_no_output()
    {
        var result = Edit("// What a user writes", "\n\n\n// What a user writes");

        Assert.All(Tracked(result), static one => AssertUnchanged(one.Reason));
    }

    [Fact]
    public void Another_file_changes_no_output()
    {
        var compilation = Driver.Compilation("Some.Library", OutputKind.DynamicallyLinkedLibrary, Driver.Client, SampleServices.Source, Called);
        var driver = Driver.Create().RunGenerators(compilation, TestContext.Current.CancellationToken);
        var more = compilation.AddSyntaxTrees(CSharpSyntaxTree.ParseText("internal sealed class More { }", Driver.ParseOptions, cancellationToken: TestContext.Current.CancellationToken));
        var result = driver.RunGenerators(more, TestContext.Current.CancellationToken).GetRunResult().Results.Single();

        Assert.All(result.TrackedOutputSteps.SelectMany(static one => one.Value).SelectMany(static step => step.Outputs), static output => AssertUnchanged(output.Reason));
    }

    [Fact]
    public void A_parameter_more_writes_one_service_and_its_client_again()
    {
        var result = Edit("IAsyncEnumerable<int> Blocks(int n,", "IAsyncEnumerable<int> Blocks(int n, int m,");

        Assert.Equal(
            ["Service.Hasher.g.cs", "Client.Weir_Generator_Tests_Behaviour_IHasher.g.cs"],
            Tracked(result).Where(one => Texts.Contains(one.Step) && one.Reason is not (IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged)).Select(static one => ((GeneratedFile)one.Value).Name));
    }

    [Fact]
    public void A_member_more_writes_its_type_and_the_contract_of_its_service_again()
    {
        var result = Edit("string? Summary = null);", "string? Summary = null, bool Sure = true);");

        Assert.Equal(
            ["Service.Weather.g.cs", "Type.Weir_Generator_Tests_Behaviour_ForecastJson.g.cs"],
            Tracked(result).Where(one => Texts.Contains(one.Step) && one.Reason is not (IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged)).Select(static one => ((GeneratedFile)one.Value).Name));
    }

    [Fact]
    public void Every_step_has_a_name()
    {
        var steps = Edit("factor", "factor").TrackedSteps.Keys;

        Assert.Superset(
            typeof(StepNames).GetFields(BindingFlags.Public | BindingFlags.Static).Select(static field => (string)field.GetRawConstantValue()!).ToHashSet(),
            steps.ToHashSet());
    }

    [Fact]
    public void No_model_keeps_a_symbol_or_a_tree_alive()
    {
        var result = Edit("factor", "factor");
        var names = typeof(StepNames).GetFields(BindingFlags.Public | BindingFlags.Static).Select(static field => (string)field.GetRawConstantValue()!);

        foreach (var value in names.SelectMany(name => result.TrackedSteps[name]).SelectMany(static step => step.Outputs).Select(static output => output.Value))
        {
            AssertPlain(value, []);
        }
    }

    [Fact]
    public void The_same_source_gives_the_same_text()
    {
        var first = Driver.Run(Driver.Library(SampleServices.Source)).Result.GeneratedSources;
        var second = Driver.Run(Driver.Library(SampleServices.Source)).Result.GeneratedSources;

        Assert.Equal(first.Select(static one => (one.HintName, one.SourceText.ToString())), second.Select(static one => (one.HintName, one.SourceText.ToString())));
        Assert.All(first, static one => Assert.DoesNotContain('\r', one.HintName.StartsWith("Microsoft", StringComparison.Ordinal) ? "" : one.SourceText.ToString()));
    }

    private static GeneratorRunResult Edit(params string[] replacements)
    {
        var compilation = Driver.Compilation("Some.Library", OutputKind.DynamicallyLinkedLibrary, Driver.Client, SampleServices.Source, Called);
        var driver = Driver.Create().RunGenerators(compilation, TestContext.Current.CancellationToken);
        var tree = compilation.SyntaxTrees.Single(static one => one.FilePath == "Source1.cs");
        var text = SampleServices.Source;
        for (var index = 0; index < replacements.Length; index += 2)
        {
            Assert.Contains(replacements[index], text, StringComparison.Ordinal);
            text = text.Replace(replacements[index], replacements[index + 1], StringComparison.Ordinal);
        }

        var edited = compilation.ReplaceSyntaxTree(tree, CSharpSyntaxTree.ParseText(text, Driver.ParseOptions, tree.FilePath, cancellationToken: TestContext.Current.CancellationToken));
        return driver.RunGenerators(edited, TestContext.Current.CancellationToken).GetRunResult().Results.Single();
    }

    private static IEnumerable<(string Step, object Value, IncrementalStepRunReason Reason)> Tracked(GeneratorRunResult result) =>
        from name in typeof(StepNames).GetFields(BindingFlags.Public | BindingFlags.Static).Select(static field => (string)field.GetRawConstantValue()!)
        from step in result.TrackedSteps.GetValueOrDefault(name, [])
        from output in step.Outputs
        select (name, output.Value, output.Reason);

    private static void AssertUnchanged(IncrementalStepRunReason reason) =>
        Assert.True(reason is IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged, $"A step ran again: {reason}.");

    private static void AssertPlain(object? value, HashSet<object> visited)
    {
        if (value is null or string || value.GetType().IsPrimitive || !visited.Add(value))
        {
            return;
        }

        Assert.False(value is ISymbol or SyntaxNode or SyntaxTree or Compilation or Location or SemanticModel, $"A model keeps a {value.GetType()}.");
        if (value is IEnumerable items)
        {
            foreach (var item in items)
            {
                AssertPlain(item, visited);
            }
        }

        foreach (var field in value.GetType().GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        {
            AssertPlain(field.GetValue(value), visited);
        }
    }
}
