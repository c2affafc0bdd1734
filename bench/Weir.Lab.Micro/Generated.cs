using Weir.Generated;
using Weir.Runtime;

namespace Weir.Lab.Micro;

/// <summary>Calls of this assembly's operations, as generated code makes them.</summary>
internal static class Generated
{
    public static Call CallOf(string operation) =>
        ApplicationCatalog.Catalogs.SelectMany(static catalog => catalog.Services).SelectMany(static service => service.Operations).Single(one => one.Name == operation).RentCall();
}
