//! Skinned meshes.

mod bind_pose;
mod bounds;
mod dual;
mod dual_quaternion;
mod joint_boxes;
mod kernel_choice;
mod plan;
mod plan_info;
mod precise;
mod skin_source;
mod skinning;
mod workspace;

pub use bounds::Bounds;
pub use kernel_choice::{Choice, PlanOptions};
pub use plan::SkinPlan;
pub use plan_info::{Kernel, PlanInfo, VertexSpace};
pub use skin_source::{JointIndices, JointSet, SkinSource};
pub use workspace::Workspace;
