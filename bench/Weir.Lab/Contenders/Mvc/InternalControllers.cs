using System.Reflection;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Controllers;

namespace Weir.Lab.Contenders.Mvc;

/// <summary>Finds the lab's controllers although they are internal.</summary>
internal sealed class InternalControllers : ControllerFeatureProvider
{
    protected override bool IsController(TypeInfo typeInfo) => !typeInfo.IsAbstract && typeInfo.IsSubclassOf(typeof(ControllerBase));
}
