using System.ComponentModel;
using System.Reflection;
using Microsoft.AspNetCore.Builder;
using Weir.Protocol.Frames;
using Weir.Runtime;

namespace Weir.Tests.Architecture;

/// <summary>What an application sees: namespace <c>Weir</c> for what it writes, extension methods where ASP.NET Core has its own, and nothing else.</summary>
public sealed class PublicSurfaceTests
{
    private const string Written = "Weir";
    private const string Generated = "Weir.Runtime";

    private static readonly string[] Extended = ["Microsoft.AspNetCore.Builder", "Microsoft.Extensions.DependencyInjection"];

    private static readonly Type[] Public =
        [.. new[] { typeof(Call).Assembly, typeof(WeirOptions).Assembly, typeof(ApplicationWorker).Assembly, typeof(WeirEndpointRouteBuilderExtensions).Assembly }.SelectMany(static assembly => assembly.GetExportedTypes()).Where(static type => !type.IsNested)];

    [Fact]
    public void Every_public_type_is_in_a_namespace_for_applications_or_in_that_of_generated_code() =>
        Expect.NoFault(Public.Where(static type => type.Namespace is not (Written or Generated) && !Extended.Contains(type.Namespace)).Select(static type => $"{type}: is public in {type.Namespace}"));

    [Fact]
    public void The_protocol_has_no_public_type() => Assert.Empty(typeof(Frame).Assembly.GetExportedTypes());

    [Fact]
    public void Completion_lists_hide_what_only_generated_code_calls_and_show_the_rest()
    {
        Assert.Contains(Public, static type => type.Namespace == Generated);
        Expect.NoFault(
            from type in Public
            let isHidden = type.GetCustomAttribute<EditorBrowsableAttribute>()?.State == EditorBrowsableState.Never
            where isHidden != (type.Namespace == Generated)
            select $"{type}: is {(isHidden ? "hidden" : "shown")} in {type.Namespace}");
    }
}
