using Microsoft.AspNetCore.Mvc.ApiExplorer;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Weir.OpenApi;

/// <summary>Gives each document names of schemas that differ where types do, unless the application names them itself.</summary>
internal sealed class SchemaNamesConfiguration(IServiceProvider services) : IPostConfigureOptions<OpenApiOptions>
{
    private static readonly Func<System.Text.Json.Serialization.Metadata.JsonTypeInfo, string?> Default = OpenApiOptions.CreateDefaultSchemaReferenceId;

    public void PostConfigure(string? name, OpenApiOptions options)
    {
        if (options.CreateSchemaReferenceId != Default)
        {
            return;
        }

        // Resolved when a document is made: by then everything is mapped, and resolving it earlier would describe too little.
        var names = new SchemaNames(() => services.GetService<IApiDescriptionGroupCollectionProvider>()?.ApiDescriptionGroups, description => options.ShouldInclude(description), Default);
        options.CreateSchemaReferenceId = names.Of;
    }
}
